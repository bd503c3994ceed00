import DiaryCore
@testable import FolderWatch
import Foundation
import Glibc
import Testing

@Suite struct PollingTests {
  /// A polling loop whose scans the test starts.
  private struct PollingFixture {
    let scratch: TestFolder
    let loop: PollingLoop
    let outlet = EventStream()
    let listener: EventRecorder

    init(_ prepare: (TestFolder) -> Void = { _ in }) throws {
      scratch = try TestFolder()
      prepare(scratch)
      loop = PollingLoop(
        root: scratch.root, interval: .seconds(10), reason: "it lies on NFS", sink: outlet,
        wake: WakeEvent())
      listener = EventRecorder(outlet.stream)
    }

    /// The events of one scan. A `failed` event, which no scan sends, marks its end.
    func scan(now: Int64 = 4_000_000_000) async -> [FolderEvent] {
      let before = listener.events.count
      loop.scan(now: now)
      outlet.send(.failed("\(before)"))
      let events = await listener.wait(for: .failed("\(before)"))
      return Array(events.dropFirst(before).dropLast())
    }
  }

  @Test func `reports that it polls and why`() async throws {
    let poll = try PollingFixture()
    let method = WatchMethod.polling(seconds: 10, reason: "it lies on NFS")
    #expect(await poll.scan() == [.rescan(.started(method))])
    #expect(await poll.scan() == [])
  }

  @Test func `reports new, changed and removed files, and changed ones once more`() async throws {
    let poll = try PollingFixture {
      $0.makeFolders("a/deep")
      $0.write("a/deep/e.md", "old")
      $0.write("gone.md", "")
    }
    _ = await poll.scan()
    poll.scratch.write("a/deep/e.md", "new")
    poll.scratch.write("f.md", "")
    poll.scratch.write(".f.md.swp", "")
    poll.scratch.remove("gone.md")
    #expect(
      await poll.scan() == [
        .removed("gone.md"), .editorFile(".f.md.swp"), .changed("a/deep/e.md"), .changed("f.md"),
      ])
    poll.scratch.remove(".f.md.swp")
    // With timestamps in whole seconds, a second write in the same second is invisible.
    #expect(
      await poll.scan() == [.editorFile(".f.md.swp"), .changed("a/deep/e.md"), .changed("f.md")])
    #expect(await poll.scan() == [])
  }

  @Test func `checks files once more that were new at the first scan`() async throws {
    let poll = try PollingFixture { $0.write("e.md", "") }
    _ = await poll.scan(now: Int64(Date().timeIntervalSince1970))
    #expect(await poll.scan() == [.changed("e.md")])
    #expect(await poll.scan() == [])
  }

  @Test func `detects a write of equal length whose time was reset`() async throws {
    let poll = try PollingFixture { $0.write("e.md", "old") }
    _ = await poll.scan()
    var times = stat()
    stat(poll.scratch.path("e.md"), &times)
    poll.scratch.write("e.md", "new", flags: 0)
    let file = open(poll.scratch.path("e.md"), O_WRONLY)
    futimens(file, [times.st_atim, times.st_mtim])
    close(file)
    #expect(await poll.scan() == [.changed("e.md")])
  }

  @Test func `a missing journal folder is reported as missing only`() async throws {
    let poll = try PollingFixture { $0.write("e.md", "") }
    _ = await poll.scan()
    poll.scratch.move(poll.scratch.root, "\(poll.scratch.outside)/away")
    #expect(await poll.scan() == [.rescan(.rootVanished)])
    #expect(await poll.scan() == [])
    poll.scratch.move("\(poll.scratch.outside)/away", poll.scratch.root)
    #expect(await poll.scan() == [.rescan(.rootReturned)])
    #expect(await poll.scan() == [])
  }

  @Test func `a new folder of the same name is not reported as deletions`() async throws {
    let poll = try PollingFixture { $0.write("e.md", "") }
    _ = await poll.scan()
    poll.scratch.move(poll.scratch.root, "\(poll.scratch.outside)/away")
    poll.scratch.makeFolder(poll.scratch.root)
    #expect(await poll.scan() == [.rescan(.rootReturned)])
  }

  @Test(.enabled(if: geteuid() != 0, "root reads everything"))
  func `files in an unreadable folder are not reported as removed`() async throws {
    let poll = try PollingFixture {
      $0.makeFolder("a")
      $0.write("a/e.md", "")
    }
    _ = await poll.scan()
    chmod(poll.scratch.path("a"), 0)
    #expect(await poll.scan() == [])
    chmod(poll.scratch.path("a"), 0o755)
    #expect(await poll.scan() == [])
  }

  @Test func `ignores hidden folders and other repositories`() async throws {
    let poll = try PollingFixture {
      for folder in [".obsidian", ".diary", "other", "other/.git", "other/deep"] {
        $0.makeFolder(folder)
      }
    }
    _ = await poll.scan()
    for name in [".obsidian/x", ".diary/config.yml", "other/e.md", "other/deep/e.md", ".git"] {
      poll.scratch.write(name, "")
    }
    #expect(await poll.scan() == [.changed(".diary/config.yml")])
  }

  @Test func `reports a folder that is no longer a repository, and again when quiet`()
    async throws
  {
    let poll = try PollingFixture {
      for folder in ["other", "other/.git"] { $0.makeFolder(folder) }
      $0.write("other/e.md", "")
    }
    _ = await poll.scan()
    poll.scratch.removeTree("other/.git")
    let first = await poll.scan()
    #expect(first.last == .rescan(.folderChanged("other")))
    // A scan at that moment may have missed a file that was created and removed.
    poll.scratch.write("f.md", "")
    #expect(await poll.scan() == [.changed("f.md"), .changed("other/e.md")])
    #expect(await poll.scan() == [.changed("f.md"), .rescan(.folderChanged("other"))])
    #expect(await poll.scan() == [])
  }

  @Test func `runs on its own thread until it is stopped`() async throws {
    let scratch = try TestFolder()
    let watcher = PollingWatcher(root: scratch.root, interval: .milliseconds(10))
    let listener = EventRecorder(watcher.events)
    await listener.wait { !$0.isEmpty }
    scratch.write("e.md", "")
    await listener.wait(for: .changed("e.md"))
    watcher.stop()
    await listener.wait { _ in listener.hasEnded }
  }
}
