import TestSupport
import DiaryCore
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FolderWatch

/// A copy of the journal that is updated only where a watcher reports a change.
final class FolderMirror: Sendable {
  private let root: String
  private let files = Mutex<[String: String]>([:])

  init(root: String) { self.root = root }

  var contents: [String: String] { files.withLock { $0 } }

  func apply(_ event: FolderEvent) {
    switch event {
    case .changed(let path), .removed(let path):
      let text = Self.text(root + "/" + path.text)
      files.withLock { $0[path.text] = text }
    case .rescan:
      let all = Self.scan(root)
      files.withLock { $0 = all }
    case .editorFile, .failed: break
    }
  }

  private static func text(_ path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try? String(contentsOfFile: path, encoding: .utf8)
  }

  /// Every file outside hidden folders and other repositories.
  static func scan(_ root: String, _ folder: String = "") -> [String: String] {
    let here = folder.isEmpty ? root : root + "/" + folder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: here)) ?? []
    guard folder.isEmpty || !names.contains(".git") else { return [:] }
    var files: [String: String] = [:]
    for name in names {
      let path = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      guard lstat(root + "/" + path, &status) == 0 else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        guard !name.hasPrefix(".") else { continue }
        files.merge(scan(root, path)) { $1 }
      } else if let text = text(root + "/" + path) {
        files[path] = text
      }
    }
    return files
  }
}

/// After any changes of a folder, a copy that follows the events equals the disk.
@Suite struct ShadowTests {
  @Test(arguments: 1...6)
  func `a copy that follows the events equals the disk`(_ part: Int) async throws {
    let scratch = try TestFolder()
    let shadows = (
      kernel: FolderMirror(root: scratch.root), polled: FolderMirror(root: scratch.root)
    )
    let kernel = InotifyWatcher(root: scratch.root)
    // Longer than a slow machine takes to deliver an event. A later scan could miss a file that is
    // created and removed between two scans.
    let polling = PollingWatcher(root: scratch.root, interval: .milliseconds(100))
    let listeners = [
      EventRecorder(kernel.events) { shadows.kernel.apply($0) },
      EventRecorder(polling.events) { shadows.polled.apply($0) },
    ]
    for listener in listeners { await listener.wait { !$0.isEmpty } }
    var random = SeededGenerator(part: part)
    for round in 0..<4 {
      for _ in 0..<250 { Self.performAction(in: scratch, &random) }
      // The first file is reported before a rescan of the same round, the second after it.
      for end in ["end-\(round)", "end-\(round)-told"] {
        scratch.write(end, "")
        for listener in listeners {
          await listener.wait(for: .changed(EntryPath(stringLiteral: end)))
        }
      }
      try await expectEqual(shadows.kernel, shadows.polled, scratch, "\(random), round \(round)")
    }
    kernel.stop()
    polling.stop()
  }

  /// Read late, the old file's event looks like an event of the file in the new folder.
  @Test func `a folder replaced by another repository is rescanned`() async throws {
    let scratch = try TestFolder()
    scratch.makeFolders("a/x")
    scratch.write("a/x/e.md", "ours")
    let outlet = EventStream()
    let loop = InotifyLoop(root: scratch.root, sink: outlet, wake: WakeEvent())
    try loop.restart(.started(.inotify))
    scratch.removeTree("a/x")
    #expect(try loop.pollOnce())
    scratch.makeFolders("a/x/.git")
    scratch.write("a/x/e.md", "theirs")
    #expect(try loop.pollOnce())
    // A new watch requests a rescan anyway.
    try loop.restart(.started(.inotify))
    scratch.write("b.md", "")
    #expect(try loop.pollOnce())
    outlet.finish()
    var told: [FolderEvent] = []
    for await event in outlet.stream { told.append(event) }
    let anew = try #require(told.lastIndex(of: .rescan(.started(.inotify))))
    let shadow = FolderMirror(root: scratch.root)
    for event in told[..<anew] { shadow.apply(event) }
    #expect(shadow.contents.keys.allSatisfy { $0 == "b.md" })
    #expect(Set(told[anew...]) == [.rescan(.started(.inotify)), .changed("b.md")])
  }

  /// Checks both copies. Only the polling watcher may need another scan.
  private func expectEqual(
    _ kernel: FolderMirror, _ polled: FolderMirror, _ scratch: TestFolder, _ round: String
  ) async throws {
    let disk = FolderMirror.scan(scratch.root)
    #expect(kernel.contents == disk, "inotify, \(round)")
    #expect(await Sandbox.holds { polled.contents == disk }, "polling, \(round)")
  }

  static func performAction(in scratch: TestFolder, _ random: inout SeededGenerator) {
    let folders = ["", "a/", "b/", "a/x/", "a/y/", "b/x/", "b/x/z/", "c/"]
    let plain = ["a", "b", "c", "a/x", "a/y", "b/x", "b/x/z", ".hidden", "a/.hidden"]
    func pick(_ names: [String]) -> String {
      names[Int.random(in: 0..<names.count, using: &random)]
    }
    func file() -> String { pick(folders) + pick(["e.md", "f.md", "g.md"]) }
    let text = String(UInt16.random(in: 0 ... .max, using: &random))
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3: scratch.write(file(), text)
    case 4:
      scratch.write("t.tmp", text)
      scratch.move("t.tmp", file())
    case 5: scratch.remove(file())
    case 6: scratch.move(file(), file())
    case 7, 8:
      let folder = pick(plain)
      scratch.makeFolders(folder)
      scratch.write(folder + "/e.md", text)
    case 9: scratch.move(pick(plain), pick(plain))
    case 10: scratch.exchange(pick(plain), pick(plain))
    case 11: scratch.removeTree(pick(plain))
    case 12: scratch.makeFolder(pick(plain) + "/.git")
    case 13: scratch.removeTree(pick(plain) + "/.git")
    case 14:
      scratch.makeLink("l", to: "elsewhere")
      scratch.move("l", file())
    default: scratch.move(pick(plain), "\(scratch.outside)/\(text)")
    }
  }
}
