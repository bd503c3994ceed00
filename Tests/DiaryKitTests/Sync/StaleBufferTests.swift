import EntryFiles
import Foundation
import GitHistory
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// What a save means for the note of a file that a sync has replaced.
@Suite struct StaleBufferTests {
  static let old = "We met at the station.\n"
  static let came = "We met at the station.\n\nMina told me that she will move in the spring.\n"
  static let typed = "We met at the station.\n\nThen I walked home through the rain.\n"

  let world: World
  let clock = Clock()
  let journal: Journal

  final class Clock: Sendable {
    let seconds = Mutex(1_795_262_640)
    func pass(_ time: Int) { seconds.withLock { $0 += time } }
  }

  /// A journal into which a sync has brought `came`, a moment ago.
  init() async throws {
    world = try await World(["a.md": Self.old])
    let clock = clock
    journal = try world.journal(now: { clock.seconds.withLock { $0 } })
    try world.write(Self.came, "a.md")
    _ = try await world.git("commit", "-qam", "another device")
    let seen = try await journal.repository.blobID(of: Array(Self.old.utf8), at: "a.md")
    var checkout = PendingCheckout(path: "a.md", disk: seen, at: clock.seconds.withLock { $0 })
    let brought = try await journal.repository.blobID(of: Array(Self.came.utf8), at: "a.md")
    checkout.brought = brought.description
    try journal.gitLocation.makeDiaryDirectory()
    try journal.writeCheckoutRecords([checkout])
  }

  /// Writes the text, saves it as a watcher does, and lets what was merged come to the disk.
  private func save(_ text: String) async throws -> String {
    try world.write(text, "a.md")
    let journal = journal
    try await journal.withJournalLock {
      try await journal.keepAll("a.md")
      for aside in try await journal.applyPendingCheckouts().displaced { aside.file.discard() }
    }
    return try world.home.read("j/a.md")
  }

  @Test func `looks at what was brought answer nothing, however many`() async throws {
    for _ in 0..<3 {
      try await journal.keepAll("a.md")
      clock.pass(86_400)
    }
    let merged = try await save(Self.typed)
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
  }

  @Test func `a save that holds what came answers the note`() async throws {
    #expect(try await save(Self.came + "\nMore.\n") == Self.came + "\nMore.\n")
    #expect(try journal.checkoutRecords.load() == [])
    #expect(try await save(Self.old) == Self.old)
  }

  @Test func `what was taken away comes back once, and not again`() async throws {
    #expect(try await save(Self.old) == Self.came)
    // A program that writes its buffer every few seconds has seen nothing.
    clock.pass(30)
    #expect(try await save(Self.old) == Self.came)
    clock.pass(30)
    #expect(try await save(Self.old) == Self.came)
    clock.pass(PendingCheckout.repeatedSaveSeconds)
    #expect(try await save(Self.old) == Self.old)
    #expect(try journal.checkoutRecords.load() == [])
  }

  @Test func `a text that goes on from the merged one is late each time`() async throws {
    #expect(try await save(Self.typed).contains("Mina"))
    clock.pass(3_600)
    let merged = try await save(Self.typed + "\nIt was late.\n")
    #expect(merged.contains("Mina") && merged.contains("It was late."), "\(merged)")
  }

  @Test func `a note does not live for ever`() async throws {
    clock.pass(PendingCheckout.retentionSeconds + 1)
    #expect(try await save(Self.typed) == Self.typed)
    #expect(try journal.checkoutRecords.load() == [])
  }

  @Test func `words that arrive in the replaced file itself are a late save`() async throws {
    let journal = journal
    try await journal.withJournalLock {
      _ = try await journal.mergeLateWrite(
        Array(Self.typed.utf8), at: "a.md", replacement: Array(Self.came.utf8))
      for aside in try await journal.applyPendingCheckouts().displaced { aside.file.discard() }
    }
    let merged = try world.home.read("j/a.md")
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
  }
}
