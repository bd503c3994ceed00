@testable import FolderWatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite struct IdleTests {
  /// The kernel's count of a thread's voluntary context switches.
  private func sleepCount(of thread: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
    return try #require(line?.split(separator: "\t").last.flatMap { Int($0) })
  }

  @Test func `never wakes up while nothing changes`() async throws {
    let scratch = try TestFolder()
    for index in 0..<20 { scratch.makeFolder("a\(index)") }
    let (outlet, wake) = (EventStream(), WakeEvent())
    let name = Mutex("")
    Thread.detachNewThread {
      let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
      name.withLock { $0 = path ?? "" }
      try? InotifyLoop(root: scratch.root, sink: outlet, wake: wake).run()
    }
    let listener = EventRecorder(outlet.stream)
    await listener.wait(for: .rescan(.started(.inotify)))
    scratch.write("a1/e.md", "")
    await listener.wait(for: .changed("a1/e.md"))
    let thread = name.withLock { $0 }
    // A mount anywhere on the machine wakes the thread, so wait for a second without one.
    var (before, after) = (0, 1)
    for _ in 0..<8 where after != before {
      before = try sleepCount(of: thread)
      // Reading the journal must not wake it.
      _ = try FileManager.default.subpathsOfDirectory(atPath: scratch.root)
      try await Task.sleep(for: .seconds(1))
      after = try sleepCount(of: thread)
    }
    #expect(after == before)
    scratch.write("a1/e.md", "")
    await listener.wait { $0.count { $0 == .changed("a1/e.md") } > 2 }
    // It sleeps again as soon as it has sent the event.
    #expect(try await Sandbox.holds { try sleepCount(of: thread) > before })
    wake.raise()
  }

  @Test func `has no descriptor of the folder open`() async throws {
    let watched = try await WatcherFixture { $0.makeFolder("a") }
    _ = await watched.events { $0.write("a/e.md", "") }
    let held = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
    }
    #expect(held.filter { $0.hasPrefix(watched.scratch.root) } == [])
  }
}
