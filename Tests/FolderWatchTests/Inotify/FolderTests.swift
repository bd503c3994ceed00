import DiaryCore
import Foundation
import Glibc
import Testing

@testable import FolderWatch

@Suite struct FolderTests {
  @Test func `reports a file written right after its folder was made`() async throws {
    let watched = try await WatcherFixture()
    let scratch = watched.scratch
    let count = 1000
    let names = (0..<2).flatMap { writer in (0..<count).map { "y\(writer)-\($0)/m/f.md" } }
    await withTaskGroup(of: Void.self) { group in
      for half in [names[..<count], names[count...]] {
        group.addTask {
          for name in half {
            let folder = String(name.prefix { $0 != "/" })
            scratch.makeFolder(folder)
            scratch.makeFolder(folder + "/m")
            scratch.write(name, "at once")
          }
        }
      }
    }
    let told = Set(await watched.listener.allEvents(in: scratch))
    let missed = names.filter { !told.contains(.changed(EntryPath(stringLiteral: $0))) }
    #expect(missed.isEmpty)
  }

  @Test func `follows a folder that is renamed`() async throws {
    let watched = try await WatcherFixture {
      $0.makeFolders("a/deep")
      $0.write("a/deep/e.md", "old")
    }
    let renamed = await watched.events { $0.move("a", "b") }
    #expect(renamed.last == .rescan(.folderChanged("b")))
    #expect(Set(renamed).subtracting([.rescan(.folderChanged("a"))]).count == 1)
    #expect(await watched.events { $0.write("b/deep/e.md", "new") } == [.changed("b/deep/e.md")])
    let back = await watched.events {
      $0.makeFolder("a")
      $0.write("a/f.md", "another folder of the old name")
    }
    #expect(back.contains(.changed("a/f.md")))
  }

  @Test func `distinguishes two folders that are exchanged`() async throws {
    let watched = try await WatcherFixture {
      $0.makeFolders("a/one")
      $0.makeFolders("b/two")
    }
    _ = await watched.events { $0.exchange("a", "b") }
    #expect(await watched.events { $0.write("a/two/e.md", "") }.last == .changed("a/two/e.md"))
    #expect(await watched.events { $0.write("b/one/e.md", "") }.last == .changed("b/one/e.md"))
  }

  @Test func `requests a rescan when a folder is moved in, and watches it`() async throws {
    let watched = try await WatcherFixture()
    let moved = await watched.events {
      $0.makeFolders("\($0.outside)/in/deep")
      $0.write("\($0.outside)/in/deep/e.md", "")
      $0.move("\($0.outside)/in", "in")
    }
    #expect(moved == [.rescan(.folderChanged("in"))])
    #expect(await watched.events { $0.write("in/deep/e.md", "") } == [.changed("in/deep/e.md")])
  }

  @Test func `stops watching a folder that is moved out`() async throws {
    let watched = try await WatcherFixture { $0.makeFolders("a/deep") }
    let moved = await watched.events { $0.move("a", "\($0.outside)/a") }
    #expect(moved == [.rescan(.folderChanged("a"))])
    #expect(await watched.events { $0.write("\($0.outside)/a/deep/e.md", "") } == [])
  }

  @Test func `watches a folder that is deleted and made again`() async throws {
    let watched = try await WatcherFixture {
      $0.makeFolder("a")
      $0.write("a/e.md", "")
    }
    let removal = await watched.events { $0.removeTree("a") }
    #expect(removal == [.removed("a/e.md"), .rescan(.folderChanged("a"))])
    let again = await watched.events {
      $0.makeFolder("a")
      $0.write("a/e.md", "")
    }
    #expect(again.contains(.changed("a/e.md")))
    #expect(await watched.events { $0.write("a/e.md", "") } == [.changed("a/e.md")])
  }

  @Test func `ignores hidden folders but the journal's own`() async throws {
    let watched = try await WatcherFixture { $0.makeFolders(".diary/templates") }
    let events = await watched.events {
      for folder in [".git", ".obsidian", "a", "a/.diary", ".diary/.cache"] {
        $0.makeFolder(folder)
        $0.write(folder + "/x", "")
      }
      $0.write(".diary/config.yml", "settle: 1s", flags: O_CREAT)
    }
    // A new repository is reported, but nothing in it.
    #expect(
      Set(events).subtracting([.rescan(.folderChanged("a"))])
        == [.changed("a/x"), .changed(".diary/config.yml"), .rescan(.repositoryChanged)])
  }

  @Test func `a new repository of the journal is reported beside a new folder`() async throws {
    let scratch = try TestFolder()
    let outlet = EventStream()
    let loop = InotifyLoop(root: scratch.root, sink: outlet, wake: WakeEvent())
    try loop.restart(.started(.inotify))
    for folder in [".git", "a"] { scratch.makeFolder(folder) }
    try loop.handleAvailableEvents()
    outlet.finish()
    var told: [FolderEvent] = []
    for await event in outlet.stream { told.append(event) }
    #expect(told == [.rescan(.started(.inotify)), .rescan(.repositoryChanged)])
  }

  @Test func `ignores another repository until it is none any more`() async throws {
    let watched = try await WatcherFixture {
      $0.makeFolders("other/.git")
      $0.makeFolders("other/deep")
      $0.makeFolders("mine/deep")
    }
    #expect(await watched.events { $0.write("other/e.md", "") } == [])
    #expect(await watched.events { $0.write("other/deep/e.md", "") } == [])
    let born = await watched.events {
      $0.write("mine/.git", "gitdir: elsewhere")
      $0.write("mine/deep/e.md", "")
    }
    #expect(born.last == .rescan(.folderChanged("mine")))
    #expect(await watched.events { $0.write("mine/deep/e.md", "") } == [])
    #expect(
      await watched.events { $0.removeTree("other/.git") } == [.rescan(.folderChanged("other"))])
    let seen = await watched.events { $0.write("other/deep/e.md", "") }
    #expect(seen == [.changed("other/deep/e.md")])
  }

  @Test func `does not follow a symbolic link to a folder`() async throws {
    let watched = try await WatcherFixture()
    let events = await watched.events {
      $0.makeLink("link", to: $0.outside)
      $0.write("link/e.md", "")
    }
    #expect(events == [])
  }

  @Test func `reports names as raw bytes`() async throws {
    let watched = try await WatcherFixture()
    let names: [[UInt8]] = [
      Array("-rf \n\"'\\.md".utf8), Array("일기.md".utf8), Array("e\u{301}.md".utf8),
      [0xFF, 0xFE, 0x80],
    ]
    let events = await watched.events { scratch in
      for name in names {
        let path = (Array(scratch.root.utf8) + [UInt8(ascii: "/")] + name + [0])
        path.withUnsafeBufferPointer { bytes in
          bytes.withMemoryRebound(to: CChar.self) { chars in
            guard let start = chars.baseAddress else { return }
            close(open(start, O_CREAT | O_WRONLY, 0o644))
          }
        }
      }
    }
    #expect(Set(events) == Set(names.compactMap { EntryPath(bytes: $0).map(FolderEvent.changed) }))
  }

  @Test(.enabled(if: geteuid() != 0, "root reads everything"))
  func `watches a folder as soon as it becomes readable`() async throws {
    let watched = try await WatcherFixture {
      $0.makeFolders("a/deep")
      chmod($0.path("a"), 0)
    }
    let opened = await watched.events { chmod($0.path("a"), 0o755) }
    #expect(opened == [.rescan(.folderChanged("a"))])
    let seen = await watched.events { $0.write("a/deep/e.md", "") }
    #expect(Set(seen) == [.changed("a/deep/e.md")])
  }
}
