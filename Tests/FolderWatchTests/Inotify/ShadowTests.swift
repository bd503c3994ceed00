import TestSupport
import DiaryCore
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FolderWatch

/// A copy of the journal that is only ever mended where a watcher says that something changed.
final class Shadow: Sendable {
  private let root: String
  private let files = Mutex<[String: String]>([:])

  init(root: String) { self.root = root }

  var contents: [String: String] { files.withLock { $0 } }

  func hear(_ event: FolderEvent) {
    switch event {
    case .changed(let path), .removed(let path):
      let text = Self.text(root + "/" + path.text)
      files.withLock { $0[path.text] = text }
    case .rescan:
      let all = Self.walk(root)
      files.withLock { $0 = all }
    case .editorFile, .failed: break
    }
  }

  private static func text(_ path: String) -> String? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return try? String(contentsOfFile: path, encoding: .utf8)
  }

  /// Every file outside of hidden folders and other repositories.
  static func walk(_ root: String, _ folder: String = "") -> [String: String] {
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
        files.merge(walk(root, path)) { $1 }
      } else if let text = text(root + "/" + path) {
        files[path] = text
      }
    }
    return files
  }
}

/// Whatever is done to a folder, whoever follows the events ends with what is on the disk.
@Suite struct ShadowTests {
  @Test(arguments: [UInt64(3), 14, 15, 92, 65, 35])
  func `whoever follows the events has what the disk has`(_ seed: UInt64) async throws {
    let scratch = try Scratch()
    let shadows = (kernel: Shadow(root: scratch.root), polled: Shadow(root: scratch.root))
    let kernel = InotifyWatcher(root: scratch.root)
    // Longer than a busy machine takes to hear an event: who looks at everything later than that may meet
    // a file that comes and goes between two looks.
    let polling = PollingWatcher(root: scratch.root, interval: .milliseconds(100))
    let listeners = [
      Listener(kernel.events) { shadows.kernel.hear($0) },
      Listener(polling.events) { shadows.polled.hear($0) },
    ]
    for listener in listeners { await listener.wait { !$0.isEmpty } }
    var random = Seeded(seed)
    for round in 0..<4 {
      for _ in 0..<250 { Self.act(in: scratch, &random) }
      // The first is told before a rescan that is owed for the same turn, the second after it.
      for end in ["end-\(round)", "end-\(round)-told"] {
        scratch.write(end, "")
        for listener in listeners {
          await listener.wait(for: .changed(EntryPath(stringLiteral: end)))
        }
      }
      try await agree(shadows.kernel, shadows.polled, scratch, "seed \(seed), round \(round)")
    }
    kernel.stop()
    polling.stop()
  }

  /// Heard late, the end of the old folder's file sounds like news of the file in the new one.
  @Test func `a folder that another repository replaces is asked for anew`() async throws {
    let scratch = try Scratch()
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
    // A new watch looks at everything in any case.
    try loop.restart(.started(.inotify))
    scratch.write("b.md", "")
    #expect(try loop.pollOnce())
    outlet.finish()
    var told: [FolderEvent] = []
    for await event in outlet.stream { told.append(event) }
    let anew = try #require(told.lastIndex(of: .rescan(.started(.inotify))))
    let shadow = Shadow(root: scratch.root)
    for event in told[..<anew] { shadow.hear(event) }
    #expect(shadow.contents.keys.allSatisfy { $0 == "b.md" })
    #expect(Set(told[anew...]) == [.rescan(.started(.inotify)), .changed("b.md")])
  }

  /// The polling watcher may need another look or two; the kernel has told all by now.
  private func agree(
    _ kernel: Shadow, _ polled: Shadow, _ scratch: Scratch, _ place: String
  ) async throws {
    let disk = Shadow.walk(scratch.root)
    #expect(kernel.contents == disk, "inotify, \(place)")
    for _ in 0..<4_000 where polled.contents != disk { try await Task.sleep(for: .milliseconds(5)) }
    #expect(polled.contents == disk, "polling, \(place)")
  }

  static func act(in scratch: Scratch, _ random: inout Seeded) {
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
