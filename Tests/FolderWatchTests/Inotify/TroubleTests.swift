import DiaryCore
@testable import FolderWatch
import Foundation
import Glibc
import Testing

/// Failures and unusual events around a watch.
@Suite struct TroubleTests {
  /// A loop that the test runs step by step, so that the kernel's queue can overflow.
  private func loop(_ scratch: TestFolder, limit: Int = .max) -> (InotifyLoop, EventStream) {
    let outlet = EventStream(capacity: 1_000_000)
    return (
      InotifyLoop(root: scratch.root, sink: outlet, wake: WakeEvent(), watchLimit: limit), outlet
    )
  }

  @Test func `requests a rescan after an overflow and watches new folders`() async throws {
    let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    try #require(limit < 200_000, "this machine's queue is too long to fill in a test")
    let scratch = try TestFolder()
    scratch.write("a.md", "")
    let (loop, outlet) = loop(scratch)
    try loop.restart(.started(.inotify))
    for turn in 0...limit / 2 {
      let isEven = turn.isMultiple(of: 2)
      scratch.move(isEven ? "a.md" : "b.md", isEven ? "b.md" : "a.md")
    }
    scratch.makeFolder("unheard")
    _ = try loop.pollOnce()
    scratch.write("unheard/e.md", "")
    _ = try loop.pollOnce()
    let listener = EventRecorder(outlet.stream)
    let events = await listener.wait(for: .changed("unheard/e.md"))
    #expect(events.count { $0 == .rescan(.overflow) } == 1)
    #expect(loop.folders.count == 2)
  }

  @Test func `removes the watches of removed folders`() throws {
    let scratch = try TestFolder()
    for index in 0..<50 { scratch.makeFolders("a\(index)/deep") }
    let (loop, _) = loop(scratch)
    try loop.restart(.started(.inotify))
    #expect(loop.folders.count == 101)
    for index in 0..<25 { scratch.removeTree("a\(index)") }
    for index in 25..<50 { scratch.move("a\(index)", "\(scratch.outside)/a\(index)") }
    _ = try loop.pollOnce()
    #expect(loop.folders.count == 1)
  }

  @Test func `fails with a message if no watch is left`() async throws {
    let scratch = try TestFolder()
    for index in 0..<10 { scratch.makeFolder("a\(index)") }
    let watcher = InotifyWatcher(
      root: scratch.root, pollInterval: nil, watchLimit: 5, rootRetryInterval: .seconds(5))
    let listener = EventRecorder(watcher.events)
    await listener.wait { _ in listener.hasEnded }
    let why = "no inotify watch is left for \(scratch.root) (fs.inotify.max_user_watches)"
    #expect(listener.events == [.failed(why)])
  }

  @Test func `falls back to polling if the watches run out later`() async throws {
    let scratch = try TestFolder()
    let watcher = InotifyWatcher(
      root: scratch.root, pollInterval: .milliseconds(20), watchLimit: 3,
      rootRetryInterval: .seconds(5))
    let listener = EventRecorder(watcher.events)
    await listener.wait(for: .rescan(.started(.inotify)))
    for index in 0..<5 { scratch.makeFolder("a\(index)") }
    await listener.wait { events in
      events.contains { event in
        guard case .rescan(.started(.polling(0.02, let why))) = event else { return false }
        return why.contains("max_user_watches")
      }
    }
    scratch.write("a4/e.md", "")
    await listener.wait(for: .changed("a4/e.md"))
    watcher.stop()
  }

  @Test(arguments: ["journal", "its parent"])
  func `waits until a folder that was moved away returns`(_ what: String) async throws {
    let scratch = try TestFolder()
    let root = what == "journal" ? scratch.root : scratch.path("inner/journal")
    let moved = what == "journal" ? scratch.root : scratch.path("inner")
    scratch.makeFolders(root)
    let watcher = InotifyWatcher(
      root: root, pollInterval: nil, watchLimit: .max, rootRetryInterval: .milliseconds(20))
    let listener = EventRecorder(watcher.events)
    await listener.wait(for: .rescan(.started(.inotify)))
    scratch.move(moved, "\(scratch.outside)/away")
    // No event reports the rename of a parent folder; the next new folder reveals it.
    let away = scratch.outside + "/away" + (what == "journal" ? "" : "/journal")
    scratch.makeFolder(away + "/new")
    await listener.wait(for: .rescan(.rootVanished))
    scratch.write(away + "/e.md", "written while it was away")
    scratch.move("\(scratch.outside)/away", moved)
    await listener.wait(for: .rescan(.rootReturned))
    scratch.write(root + "/new/f.md", "")
    let events = await listener.wait { $0.last == .changed("new/f.md") }
    #expect(events.count { $0 == .rescan(.rootVanished) } == 1)
    #expect(!events.contains(.failed("")))
  }

  @Test func `watches a journal that was deleted and created again`() async throws {
    let scratch = try TestFolder()
    let watcher = InotifyWatcher(
      root: scratch.root, pollInterval: nil, watchLimit: .max, rootRetryInterval: .milliseconds(20))
    let listener = EventRecorder(watcher.events)
    await listener.wait(for: .rescan(.started(.inotify)))
    for turn in 1...3 {
      scratch.removeTree(scratch.root)
      scratch.makeFolder(scratch.root)
      await listener.wait { $0.count { $0 == .rescan(.rootReturned) } >= turn }
      scratch.write("e\(turn).md", "")
      await listener.wait(for: .changed(EntryPath(stringLiteral: "e\(turn).md")))
    }
  }

  @Test func `detects the deletion of a journal that a program has open`() async throws {
    let scratch = try TestFolder()
    let watcher = InotifyWatcher(
      root: scratch.root, pollInterval: nil, watchLimit: .max, rootRetryInterval: .milliseconds(20))
    let listener = EventRecorder(watcher.events)
    await listener.wait(for: .rescan(.started(.inotify)))
    for turn in 1...3 {
      // The kernel reports the end of a folder only when its last descriptor is closed.
      let held = open(scratch.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(held) }
      rmdir(scratch.root)
      await listener.wait { $0.count { $0 == .rescan(.rootVanished) } >= turn }
      scratch.makeFolder(scratch.root)
      await listener.wait { $0.count { $0 == .rescan(.rootReturned) } >= turn }
      for name in ["e\(turn).md"] {
        scratch.write(name, "")
        await listener.wait(for: .changed(EntryPath(stringLiteral: name)))
        scratch.remove(name)
      }
    }
  }

  @Test func `changes next to the journal are not reported`() async throws {
    let watched = try await WatcherFixture()
    let parent = (watched.scratch.root as NSString).deletingLastPathComponent
    let events = await watched.events {
      $0.makeFolder(parent + "/other")
      $0.write(parent + "/journal.md", "")
      $0.move(parent + "/other", parent + "/other2")
    }
    #expect(events == [])
  }

  @Test func `starts when a missing journal appears`() async throws {
    let scratch = try TestFolder()
    scratch.removeTree(scratch.root)
    let watcher = InotifyWatcher(
      root: scratch.root, pollInterval: nil, watchLimit: .max, rootRetryInterval: .milliseconds(20))
    let listener = EventRecorder(watcher.events)
    await listener.wait(for: .rescan(.rootVanished))
    scratch.makeFolder(scratch.root)
    await listener.wait(for: .rescan(.started(.inotify)))
    #expect(listener.events == [.rescan(.rootVanished), .rescan(.started(.inotify))])
  }

  @Test(.enabled(if: Mounts.areAllowed, "mounting is not allowed here"), arguments: ["", "disk"])
  func `survives a disk that is mounted and unmounted`(_ place: String) async throws {
    let watched = try await WatcherFixture { if !place.isEmpty { $0.makeFolder(place) } }
    let (scratch, listener) = (watched.scratch, watched.listener)
    let point = scratch.path(place)
    let prefix = place.isEmpty ? "" : place + "/"
    #expect(Mounts.mount(at: point))
    await listener.wait(for: .rescan(.mountsChanged))
    scratch.write(prefix + "on-disk.md", "")
    await listener.wait(for: .changed(EntryPath(stringLiteral: prefix + "on-disk.md")))
    let before = listener.events.count
    #expect(Mounts.unmount(point), "the watcher must not hold the disk")
    await listener.wait { $0.dropFirst(before).contains { $0.isRescan } }
    scratch.write(prefix + "below.md", "")
    await listener.wait(for: .changed(EntryPath(stringLiteral: prefix + "below.md")))
  }

  @Test func `chooses a method to watch and reports it`() async throws {
    let scratch = try TestFolder()
    let watcher = watcher(for: scratch.root)
    let listener = EventRecorder(watcher.events)
    await listener.wait { events in
      guard case .rescan(.started) = events.first else { return false }
      return true
    }
    watcher.stop()
  }

  @Test func `ends its events when stopped, even twice`() async throws {
    let watched = try await WatcherFixture()
    watched.watcher.stop()
    watched.watcher.stop()
    await watched.listener.wait { _ in watched.listener.hasEnded }
    #expect(watched.listener.events == [.rescan(.started(.inotify))])
  }

  @Test func `drops the oldest events of a slow reader and requests a rescan`() async {
    let outlet = EventStream(capacity: 100)
    for index in 0..<1234 { outlet.send(.changed(EntryPath(stringLiteral: "\(index)"))) }
    outlet.finish()
    var kept: [FolderEvent] = []
    for await event in outlet.stream { kept.append(event) }
    #expect(kept.count == 100)
    #expect(kept.suffix(60).contains(.rescan(.overflow)))
    #expect(kept.last == .changed("1233") || kept.last == .rescan(.overflow))
  }
}

extension FolderEvent {
  fileprivate var isRescan: Bool { if case .rescan = self { true } else { false } }
}
