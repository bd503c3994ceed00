import DiaryCore
@testable import FolderWatch
import Foundation
import Glibc
import Testing

@Suite struct PollingTests {
  /// Looks by hand; `changes` are the events since the look before.
  private struct Poll {
    let scratch: Scratch
    let loop: PollingLoop
    let outlet = EventStream()
    let listener: Listener

    init(_ prepare: (Scratch) -> Void = { _ in }) throws {
      scratch = try Scratch()
      prepare(scratch)
      loop = PollingLoop(
        root: scratch.root, interval: .seconds(10), reason: "it lies on NFS", sink: outlet,
        wake: WakeEvent())
      listener = Listener(outlet.stream)
    }

    /// What a look tells; a failure ends it, being the one event that no look sends.
    func look(now: Int64 = 4_000_000_000) async -> [FolderEvent] {
      let before = listener.events.count
      loop.scan(now: now)
      outlet.send(.failed("\(before)"))
      let events = await listener.wait(for: .failed("\(before)"))
      return Array(events.dropFirst(before).dropLast())
    }
  }

  @Test func `says that it polls, and why`() async throws {
    let poll = try Poll()
    let method = WatchMethod.polling(seconds: 10, reason: "it lies on NFS")
    #expect(await poll.look() == [.rescan(.started(method))])
    #expect(await poll.look() == [])
  }

  @Test func `tells what came, changed and went, and once more what changed`() async throws {
    let poll = try Poll {
      $0.makeFolders("a/deep")
      $0.write("a/deep/e.md", "old")
      $0.write("gone.md", "")
    }
    _ = await poll.look()
    poll.scratch.write("a/deep/e.md", "new")
    poll.scratch.write("f.md", "")
    poll.scratch.write(".f.md.swp", "")
    poll.scratch.remove("gone.md")
    #expect(
      await poll.look() == [
        .removed("gone.md"), .editorFile(".f.md.swp"), .changed("a/deep/e.md"), .changed("f.md"),
      ])
    poll.scratch.remove(".f.md.swp")
    // A clock of whole seconds hides a second write within the same one.
    #expect(
      await poll.look() == [.editorFile(".f.md.swp"), .changed("a/deep/e.md"), .changed("f.md")])
    #expect(await poll.look() == [])
  }

  @Test func `looks once more at what was fresh when it began`() async throws {
    let poll = try Poll { $0.write("e.md", "") }
    _ = await poll.look(now: Int64(Date().timeIntervalSince1970))
    #expect(await poll.look() == [.changed("e.md")])
    #expect(await poll.look() == [])
  }

  @Test func `sees a write of equal length whose time was set back`() async throws {
    let poll = try Poll { $0.write("e.md", "old") }
    _ = await poll.look()
    var times = stat()
    stat(poll.scratch.path("e.md"), &times)
    poll.scratch.write("e.md", "new", flags: 0)
    let file = open(poll.scratch.path("e.md"), O_WRONLY)
    futimens(file, [times.st_atim, times.st_mtim])
    close(file)
    #expect(await poll.look() == [.changed("e.md")])
  }

  @Test func `takes a folder that is away for nothing but that`() async throws {
    let poll = try Poll { $0.write("e.md", "") }
    _ = await poll.look()
    poll.scratch.move(poll.scratch.root, "\(poll.scratch.outside)/away")
    #expect(await poll.look() == [.rescan(.rootVanished)])
    #expect(await poll.look() == [])
    poll.scratch.move("\(poll.scratch.outside)/away", poll.scratch.root)
    #expect(await poll.look() == [.rescan(.rootReturned)])
    #expect(await poll.look() == [])
  }

  @Test func `does not take another folder of the same name for a great deletion`() async throws {
    let poll = try Poll { $0.write("e.md", "") }
    _ = await poll.look()
    poll.scratch.move(poll.scratch.root, "\(poll.scratch.outside)/away")
    poll.scratch.makeFolder(poll.scratch.root)
    #expect(await poll.look() == [.rescan(.rootReturned)])
  }

  @Test(.enabled(if: geteuid() != 0, "root reads everything"))
  func `does not call gone what it may not see`() async throws {
    let poll = try Poll {
      $0.makeFolder("a")
      $0.write("a/e.md", "")
    }
    _ = await poll.look()
    chmod(poll.scratch.path("a"), 0)
    #expect(await poll.look() == [])
    chmod(poll.scratch.path("a"), 0o755)
    #expect(await poll.look() == [])
  }

  @Test func `leaves out hidden folders and other repositories`() async throws {
    let poll = try Poll {
      for folder in [".obsidian", ".diary", "other", "other/.git", "other/deep"] {
        $0.makeFolder(folder)
      }
    }
    _ = await poll.look()
    for name in [".obsidian/x", ".diary/config.yml", "other/e.md", "other/deep/e.md", ".git"] {
      poll.scratch.write(name, "")
    }
    #expect(await poll.look() == [.changed(".diary/config.yml")])
  }

  @Test func `tells a folder that is a repository no more, once more when it has come to rest`()
    async throws
  {
    let poll = try Poll {
      for folder in ["other", "other/.git"] { $0.makeFolder(folder) }
      $0.write("other/e.md", "")
    }
    _ = await poll.look()
    poll.scratch.removeTree("other/.git")
    let first = await poll.look()
    #expect(first.last == .rescan(.folderChanged("other")))
    // Whoever looked then may have met what came and goes again unseen.
    poll.scratch.write("f.md", "")
    #expect(await poll.look() == [.changed("f.md"), .changed("other/e.md")])
    #expect(await poll.look() == [.changed("f.md"), .rescan(.folderChanged("other"))])
    #expect(await poll.look() == [])
  }

  @Test func `watches on a thread of its own until it is stopped`() async throws {
    let scratch = try Scratch()
    let watcher = PollingWatcher(root: scratch.root, interval: .milliseconds(10))
    let listener = Listener(watcher.events)
    await listener.wait { !$0.isEmpty }
    scratch.write("e.md", "")
    await listener.wait(for: .changed("e.md"))
    watcher.stop()
    await listener.wait { _ in listener.hasEnded }
  }
}
