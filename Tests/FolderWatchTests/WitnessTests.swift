import TestSupport
import DiaryCore
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FolderWatch

/// Somebody who asks a watch, and is answered when it has told everything.
private final class Asker: Sendable {
  private let question = WakeSignal()
  private let answers = Mutex(0)
  let stirred = Mutex<Set<EntryPath>>([])
  let heard = Mutex<[FolderEvent]>([])

  func witness(_ hear: @escaping @Sendable (FolderEvent) -> Void = { _ in }) -> Witness {
    Witness(
      questions: question.descriptor,
      hear: { event in
        self.heard.withLock { $0.append(event) }
        hear(event)
      },
      stir: { path in
        _ = self.stirred.withLock { $0.insert(path) }
        hear(.touched(path))
      },
      answer: {
        var count: UInt64 = 0
        _ = read(self.question.descriptor, &count, MemoryLayout<UInt64>.size)
        self.answers.withLock { $0 += 1 }
      })
  }

  /// Whether an answer comes, within twenty seconds.
  func asks() -> Bool {
    let before = answers.withLock { $0 }
    question.raise()
    for _ in 0..<200_000 {
      if answers.withLock({ $0 }) > before { return true }
      usleep(100)
    }
    return false
  }
}

/// Whoever asks is answered when all that happened before has been told.
@Suite struct WitnessTests {
  @Test(arguments: [UInt64(2), 71, 82])
  func `an answer comes after everything that happened before the question`(
    _ seed: UInt64
  ) async throws {
    let scratch = try Scratch()
    let (shadow, asker) = (Shadow(root: scratch.root), Asker())
    let watcher = InotifyWatcher(
      root: scratch.root, witness: asker.witness { shadow.hear($0) })
    var random = Seeded(seed)
    var open: [CInt] = []
    for step in 0..<300 {
      if step % 5 == 0 {
        writeOpenly(in: scratch, &open, &random)
      } else {
        ShadowTests.act(in: scratch, &random)
      }
      try #require(asker.asks(), "no answer; seed \(seed), step \(step)")
      try #require(shadow.contents == Shadow.walk(scratch.root), "seed \(seed), step \(step)")
    }
    for file in open { close(file) }
    watcher.stop()
  }

  /// Writes on into files that stay open; links in the way are passed by.
  private func writeOpenly(
    in scratch: Scratch, _ open: inout [CInt], _ random: inout Seeded
  ) {
    let name = ["e.md", "a/e.md", "b/x/f.md"][Int.random(in: 0..<3, using: &random)]
    let file = Glibc.open(
      scratch.path(name), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o644)
    if file >= 0 { open.append(file) }
    for file in open.suffix(2) { _ = write(file, "more", 4) }
    if open.count > 5 { close(open.removeFirst()) }
  }

  @Test func `a write without an end, a new length and other rights are told to the witness alone`()
    async throws
  {
    let scratch = try Scratch()
    for name in ["w.md", "t.md", "r.md", ".hidden.md"] { scratch.write(name, "some") }
    let asker = Asker()
    let watcher = InotifyWatcher(root: scratch.root, witness: asker.witness())
    let listener = Listener(watcher.events)
    await listener.wait(for: .rescan(.began(.inotify)))
    let file = open(scratch.path("w.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(write(file, "more", 4) == 4)
    #expect(truncate(scratch.path("t.md"), 1) == 0)
    #expect(chmod(scratch.path("r.md"), 0o600) == 0)
    #expect(asker.asks())
    #expect(asker.stirred.withLock { $0 } == ["w.md", "t.md", "r.md"])
    #expect(listener.events == [.rescan(.began(.inotify))])
    close(file)
    await listener.wait(for: .touched("w.md"))
    watcher.stop()
  }

  @Test func `a root that was renamed with the folder above it is noticed by a question`()
    async throws
  {
    let scratch = try Scratch()
    scratch.makeFolders("above/journal")
    let asker = Asker()
    let watcher = InotifyWatcher(root: scratch.path("above/journal"), witness: asker.witness())
    #expect(asker.asks())
    #expect(asker.heard.withLock { $0 } == [.rescan(.began(.inotify))])
    scratch.move("above", "elsewhere")
    #expect(asker.asks())
    #expect(asker.heard.withLock { $0.last } == .rescan(.rootVanished))
    scratch.makeFolders("above/journal")
    #expect(asker.asks())
    #expect(asker.heard.withLock { $0.last } == .rescan(.rootReturned))
    watcher.stop()
  }

  @Test func `a question is answered while a file is written without a pause`() async throws {
    let scratch = try Scratch()
    let asker = Asker()
    let watcher = InotifyWatcher(root: scratch.root, witness: asker.witness())
    let names = (0..<4).map { scratch.path("f\($0).md") }
    let writer = Thread {
      let files = names.map { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644) }
      while !Thread.current.isCancelled { for file in files { _ = pwrite(file, "x", 1, 0) } }
      for file in files { close(file) }
    }
    writer.start()
    for _ in 0..<20 { #expect(asker.asks()) }
    writer.cancel()
    watcher.stop()
  }
}
