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

/// A mirror that applies the events when the test says so.
final class LateMirror: EventSink {
  let mirror: FolderMirror
  private let waiting = Mutex<[FolderEvent]>([])

  init(root: String) { mirror = FolderMirror(root: root) }

  func send(_ event: FolderEvent) { waiting.withLock { $0.append(event) } }

  func applyAll() { apply(.max) }

  func applySome(_ random: inout SeededGenerator) { apply(Int.random(in: 0...3, using: &random)) }

  private func apply(_ count: Int) {
    let events = waiting.withLock { events in
      defer { events.removeFirst(min(count, events.count)) }
      return events.prefix(count)
    }
    for event in events { mirror.apply(event) }
  }
}

/// After any changes of a folder, a copy that follows the events equals the disk.
@Suite struct ShadowTests {
  @Test(arguments: 1...6)
  func `a copy that follows the events equals the disk`(_ part: Int) async throws {
    let scratch = try TestFolder()
    let copy = FolderMirror(root: scratch.root)
    let watcher = InotifyWatcher(root: scratch.root)
    let listener = EventRecorder(watcher.events) { copy.apply($0) }
    await listener.wait { !$0.isEmpty }
    var random = SeededGenerator(part: part)
    for round in 0..<4 {
      for _ in 0..<250 { Self.performAction(in: scratch, &random) }
      // The first file is reported before a rescan of the same round, the second after it.
      for end in ["end-\(round)", "end-\(round)-told"] {
        scratch.write(end, "")
        await listener.wait(for: .changed(EntryPath(stringLiteral: end)))
      }
      try expectEqual(copy, to: scratch, "\(random), round \(round)")
    }
    watcher.stop()
  }

  /// Each event is handled before the next scan: its interval is far longer than that takes.
  @Test(arguments: 1...6)
  func `a copy that follows a polled folder equals the disk`(_ part: Int) async throws {
    let scratch = try TestFolder()
    let late = LateMirror(root: scratch.root)
    let loop = PollingLoop(
      root: scratch.root, interval: .seconds(10), reason: "it lies on NFS", sink: late,
      wake: WakeEvent())
    var random = SeededGenerator(part: part)
    for round in 0..<20 {
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        Self.performAction(in: scratch, &random)
      }
      // Two writes in one tick of the file system's clock look alike; the second scan finds both.
      for _ in 0..<2 {
        try await wait(for: .milliseconds(10))
        loop.scan(now: 0)
        late.applyAll()
      }
      try expectEqual(late.mirror, to: scratch, "\(random), round \(round)")
    }
  }

  /// The folder changes while its events are handled, and the copy reads each file late.
  @Test(arguments: 1...6)
  func `a copy equals the disk although the folder changes under the watcher`(
    _ part: Int
  ) throws {
    let scratch = try TestFolder()
    let late = LateMirror(root: scratch.root)
    let loop = InotifyLoop(root: scratch.root, sink: late, wake: WakeEvent())
    try loop.restart(.started(.inotify))
    var random = SeededGenerator(part: part)
    for round in 0..<10 {
      for _ in 0..<25 {
        let burst = Int.random(in: 1...(round % 2 == 0 ? 9 : 60), using: &random)
        for _ in 0..<burst { Self.performAction(in: scratch, &random) }
        try loop.handleAvailableEvents {
          late.applySome(&random)
          guard Int.random(in: 0..<4, using: &random) == 0 else { return }
          Self.performAction(in: scratch, &random)
        }
      }
      try loop.handleAvailableEvents()
      late.applyAll()
      try expectEqual(late.mirror, to: scratch, "\(random), round \(round)")
    }
  }

  /// The event of `a/x` is handled while `b` has that name, and the exchange's own events when
  /// everything is back in its place.
  @Test func `two folders that are exchanged for a moment stay watched`() throws {
    let scratch = try TestFolder()
    for folder in ["a/x", "b/x"] { scratch.makeFolders(folder) }
    let late = LateMirror(root: scratch.root)
    let loop = InotifyLoop(root: scratch.root, sink: late, wake: WakeEvent())
    try loop.restart(.started(.inotify))
    scratch.removeTree("a/x")
    scratch.makeFolder("a/x")
    scratch.exchange("a", "b")
    var count = 0
    try loop.handleAvailableEvents {
      count += 1
      if count == 2 { scratch.exchange("a", "b") }
    }
    #expect(count > 6)
    late.applyAll()
    for file in ["a/x/e.md", "b/x/e.md"] { scratch.write(file, "new") }
    try loop.handleAvailableEvents()
    late.applyAll()
    #expect(late.mirror.contents == ["a/x/e.md": "new", "b/x/e.md": "new"])
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

  private func expectEqual(
    _ copy: FolderMirror, to scratch: TestFolder, _ round: String
  ) throws {
    let (copied, disk) = (copy.contents, FolderMirror.scan(scratch.root))
    let differences = Set(copied.keys).union(disk.keys).sorted().filter { copied[$0] != disk[$0] }
      .map { "\($0): copied \(copied[$0] ?? "nothing"), on the disk \(disk[$0] ?? "nothing")" }
    try #require(differences == [], "\(round)")
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
