import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// The effect of a save on the record of a file that a sync has replaced.
@Suite struct OldBufferMergeTests {
  static let old = "We met at the station.\n"
  static let incoming = "We met at the station.\n\nMina told me that she will move in the spring.\n"
  static let typed = "We met at the station.\n\nThen I walked home through the rain.\n"

  let world: TestJournal
  let clock = Clock()
  let journal: Journal

  final class Clock: Sendable {
    let seconds = Mutex(1_795_262_640)
    func advance(_ time: Int) { seconds.withLock { $0 += time } }
  }

  /// Makes a journal into which a sync has just brought `incoming`.
  init() async throws {
    world = try await TestJournal(["a.md": Self.old])
    let clock = clock
    journal = try world.journal(now: { clock.seconds.withLock { $0 } })
    try world.write(Self.incoming, "a.md")
    _ = try await world.git("commit", "-qam", "another device")
    let seen = try await journal.repository.blobID(of: Array(Self.old.utf8), at: "a.md")
    var checkout = CheckoutRecord(path: "a.md", disk: seen, at: clock.seconds.withLock { $0 })
    let incomingID = try await journal.repository.blobID(of: Array(Self.incoming.utf8), at: "a.md")
    checkout.brought = incomingID.description
    try journal.gitLocation.makeDiaryDirectory()
    try journal.state.checkouts.write([checkout])
  }

  /// Writes the text, saves it as a watcher does, and applies the merged text to the disk.
  private func save(_ text: String) async throws -> String {
    try world.write(text, "a.md")
    _ = try await saveAndCheckOut()
    return try world.home.read("j/a.md")
  }

  private func saveAndCheckOut() async throws -> SaveOutcome {
    let journal = journal
    return try await journal.locked { journal in
      let outcome = try await journal.saver.saveChanges(
        try await journal.saver.collectChanges(["a.md"], atStart: false))
      for aside in try await journal.integration.applyCheckouts().displaced {
        aside.file.discard()
      }
      return outcome
    }
  }

  @Test func `repeated saves of the incoming text do not change the record`() async throws {
    for _ in 0..<3 {
      try await journal.savePaths("a.md")
      clock.advance(86_400)
    }
    let merged = try await save(Self.typed)
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
  }

  @Test func `a save that contains the incoming text removes the record`() async throws {
    #expect(try await save(Self.incoming + "\nMore.\n") == Self.incoming + "\nMore.\n")
    #expect(try journal.state.checkouts.load() == [])
    #expect(try await save(Self.old) == Self.old)
  }

  @Test func `the same old buffer is merged each time, and reported`() async throws {
    for _ in 0..<3 {
      try world.write(Self.typed, "a.md")
      let outcome = try await saveAndCheckOut()
      #expect(outcome.remergedEntries == ["a.md"])
      let merged = try world.home.read("j/a.md")
      #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
      clock.advance(3_600)
    }
  }

  @Test func `incoming text that came back once can be deleted by another text`() async throws {
    #expect(try await save(Self.old) == Self.incoming)
    // A program that writes its buffer every few seconds does not show the new text to the user.
    clock.advance(CheckoutRecord.repeatedSaveSeconds - 1)
    #expect(try await save("We met at the.\n").contains("Mina"))
    clock.advance(CheckoutRecord.repeatedSaveSeconds)
    try world.write("We at the.\n", "a.md")
    let outcome = try await saveAndCheckOut()
    #expect(outcome.deletedAgain == ["a.md"] && outcome.remergedEntries == [])
    #expect(try world.home.read("j/a.md") == "We at the.\n")
    #expect(try journal.state.checkouts.load() == [])
  }

  @Test func `incoming text is not deleted by a buffer whose first merge was interrupted`()
    async throws
  {
    var record = try #require(try journal.state.checkouts.load().first)
    let typed = try await journal.repository.blobID(of: Array(Self.typed.utf8), at: "a.md")
    record.markMerging(typed, onto: try #require(record.checkedOutBlob))
    try journal.state.checkouts.write([record])
    clock.advance(CheckoutRecord.repeatedSaveSeconds)
    #expect(try await save(Self.old).contains("Mina"))
  }

  @Test func `a text based on the old buffer is merged each time`() async throws {
    #expect(try await save(Self.typed).contains("Mina"))
    clock.advance(3_600)
    let merged = try await save(Self.typed + "\nIt was late.\n")
    #expect(merged.contains("Mina") && merged.contains("It was late."), "\(merged)")
  }

  @Test func `a record expires after thirty days of use`() async throws {
    clock.advance(-400 * 86_400)
    try await journal.savePaths("a.md")
    clock.advance(4_000 * 86_400)
    #expect(try await save(Self.typed).contains("Mina"))
    for _ in 0..<CheckoutRecord.retentionDays {
      clock.advance(86_400)
      try await journal.savePaths("a.md")
    }
    #expect(try journal.state.checkouts.load() == [])
    #expect(try await save(Self.typed) == Self.typed)
  }

  @Test func `a write into the replaced file is merged as a late save`() async throws {
    let journal = journal
    try await journal.locked { journal in
      _ = try await journal.saver.mergeLateWrite(
        Array(Self.typed.utf8), at: "a.md", replacement: Array(Self.incoming.utf8))
      for aside in try await journal.integration.applyCheckouts().displaced {
        aside.file.discard()
      }
    }
    let merged = try world.home.read("j/a.md")
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
  }

  @Test func `while a checkout waits, a save is merged from the text that the editor shows`()
    async throws
  {
    let later = Self.incoming.replacing("spring", with: "summer")
    try world.write(later, "a.md")
    _ = try await world.git("commit", "-qam", "another sync")
    let older = try await journal.repository.blobID(of: Array(Self.old.utf8), at: "a.md")
    let disk = try await journal.repository.blobID(of: Array(Self.incoming.utf8), at: "a.md")
    let record = CheckoutRecord(
      path: "a.md", disk: disk, seen: [older.description], at: journal.now)
    for shown in [Self.incoming, Self.old] {
      let typed = Array((shown + "\nThen I walked home through the rain.\n").utf8)
      let save = try await journal.checkouts.oldBufferSave(typed, at: "a.md", record, [], nil)
      #expect(save?.base == Array(shown.utf8))
    }
  }

  @Test func `a save is merged with a newer saved text, not with that of an interrupted merge`()
    async throws
  {
    let old = try await journal.repository.blobID(of: Array(Self.old.utf8), at: "a.md")
    let incoming = try await journal.repository.blobID(of: Array(Self.incoming.utf8), at: "a.md")
    let typed = Array(Self.typed.utf8)
    var record = CheckoutRecord(path: "a.md", disk: old, at: journal.now)
    record.markMerging(try await journal.repository.blobID(of: typed, at: "a.md"), onto: old)
    let save = try await journal.checkouts.oldBufferSave(typed, at: "a.md", record, [], nil)
    #expect(save?.branchBlob == incoming)
  }

  @Test func `a picture or a text that is not UTF-8 is compared after a sync renamed it`()
    async throws
  {
    let bytes = [UInt8](repeating: 0xE9, count: 300)
    for path: EntryPath in ["p.jpg", "old.md"] {
      _ = try await journal.repository.save(
        [.write(path, bytes, executable: false)], message: "save", at: journal.now,
        offsetMinutes: 0)
      let id = try await journal.repository.blobID(of: bytes, at: path)
      var record = CheckoutRecord(path: path, disk: id, movedTo: "moved.bin", at: journal.now)
      record.isGone = true
      // The new path has no file, so there is nothing to merge with.
      #expect(try await journal.checkouts.oldBufferSave(bytes, at: path, record, [], nil) == nil)
    }
  }

  @Test func `a merge that a kill interrupted is finished although the file was deleted`()
    async throws
  {
    let old = try await journal.repository.blobID(of: Array(Self.old.utf8), at: "a.md")
    let incoming = try await journal.repository.blobID(of: Array(Self.incoming.utf8), at: "a.md")
    let typed = try await journal.repository.blobID(of: Array(Self.typed.utf8), at: "a.md")
    var record = CheckoutRecord(path: "a.md", disk: old, at: journal.now)
    record.markMerging(typed, onto: incoming)
    try journal.state.checkouts.write([record])
    _ = try await journal.repository.save(
      [.write("a.md", Array(Self.typed.utf8), executable: false)], message: "save",
      at: journal.now, offsetMinutes: 0)
    try world.remove("a.md")
    _ = try await saveAndCheckOut()
    let merged = try world.home.read("j/a.md")
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
  }

  @Test func `interrupted merges of a moved entry and of a new file at its new path lose no word`()
    async throws
  {
    _ = try await world.git("mv", "a.md", "b.md")
    _ = try await world.git("commit", "-qm", "another device renames it")
    let other = "Another entry, begun here.\n"
    var ids: [ObjectID] = []
    for text in [Self.old, Self.typed, Self.incoming, other] {
      ids.append(try await journal.repository.blobID(of: Array(text.utf8), at: "a.md"))
    }
    var moved = CheckoutRecord(path: "a.md", disk: ids[0], movedTo: "b.md", at: journal.now)
    moved.markMerging(ids[1], onto: ids[2])
    var begun = CheckoutRecord(path: "b.md", disk: nil, at: journal.now)
    begun.markMerging(ids[3], onto: ids[2])
    try journal.state.checkouts.write([moved, begun])
    try world.write(Self.typed, "a.md")
    try world.write(other, "b.md")
    _ = try await journal.repository.save(
      [
        .write("a.md", Array(Self.typed.utf8), executable: false),
        .write("b.md", Array(other.utf8), executable: false),
      ], message: "save", at: journal.now, offsetMinutes: 0)
    for _ in 0..<2 {
      let journal = journal
      _ = try await journal.locked { journal in
        let changes = try await journal.saver.collectChanges(["a.md", "b.md"], atStart: false)
        _ = try await journal.saver.saveChanges(changes)
        for aside in try await journal.integration.applyCheckouts().displaced {
          aside.file.discard()
        }
      }
    }
    let merged = try world.home.read("j/b.md")
    #expect(["Mina", "rain", "begun here"].allSatisfy(merged.contains), "\(merged)")
  }

  @Test func `a sync killed before it moved the branch has moved no entry`() async throws {
    let old = try await journal.repository.blobID(of: Array(Self.old.utf8), at: "a.md")
    try journal.state.checkouts.write([
      CheckoutRecord(path: "a.md", disk: old, movedTo: "b.md", at: journal.now),
      CheckoutRecord(path: "b.md", disk: nil, at: journal.now),
    ])
    let merged = try await save(Self.typed)
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
    #expect(!world.home.exists("j/b.md"))
  }

  @Test func `an entry that waits, was edited and moved to where a sync moved it is merged once`()
    async throws
  {
    let typed = "We met at the station. I was late.\n"
    try world.write("", "old/.keep")
    try world.write("We met early at the station.\n", "a.md")
    _ = try await world.git("mv", "a.md", "old/a.md")
    _ = try await world.git("commit", "-qam", "another device moves it")
    try world.remove("old/a.md")
    let old = try await journal.repository.blobID(of: Array(Self.old.utf8), at: "a.md")
    try journal.state.checkouts.write([
      CheckoutRecord(path: "a.md", disk: old, movedTo: "old/a.md", at: journal.now),
      CheckoutRecord(path: "old/a.md", disk: nil, at: journal.now),
    ])
    try world.write(typed, "a.md")
    let journal = journal
    try await journal.locked { journal in
      _ = try await journal.saver.saveChanges(
        try await journal.saver.collectChanges(["a.md", "old/a.md"], atStart: false))
    }
    try world.remove("a.md")
    try world.write(typed, "old/a.md")
    try await journal.locked { journal in
      _ = try await journal.saver.saveChanges(
        try await journal.saver.collectChanges(["a.md", "old/a.md"], atStart: false))
      for aside in try await journal.integration.applyCheckouts().displaced {
        aside.file.discard()
      }
    }
    let merged = try world.home.read("j/old/a.md")
    #expect(merged == "We met early at the station. I was late.\n")
  }

  @Test func `a conflict copy of an entry that was deleted after a sync becomes the entry`()
    async throws
  {
    let copy = "a.sync-conflict-20261122-221819-DGYN457.md"
    try world.remove("a.md")
    _ = try await journal.save(deletions: true)
    try world.write(Self.typed, copy)
    let found = try #require(try await journal.checkouts.conflictCopies().first)
    #expect(try await journal.checkouts.merge(found).merge == .becameEntry)
    #expect(try world.home.read("j/a.md") == Self.typed)
    #expect(!world.home.exists("j/" + copy))
  }

  @Test func `an edit of an entry that a sync has moved and checked out is no move`() async throws {
    let brought = try #require(try journal.state.checkouts.load().first)
    var moved = brought
    (moved.name, moved.movedTo, moved.brought) = ("b.md", "a.md", nil)
    try journal.state.checkouts.write([moved, brought])
    try world.write(Self.incoming + "\nMore.\n", "a.md")
    let journal = journal
    let found = try await journal.locked {
      try await $0.saver.collectChanges(["a.md", "b.md"], atStart: false)
    }
    #expect(found.moved == [:] && found.changes.map(\.path) == ["a.md"])
  }

  @Test func `a merge that cannot be finished does not keep the others from it`() async throws {
    var records: [CheckoutRecord] = []
    for path: EntryPath in ["inner/c.md", "a.md"] {
      var blobs: [ObjectID] = []
      for text in [Self.old, Self.typed, Self.incoming] {
        blobs.append(try await journal.repository.blobID(of: Array(text.utf8), at: path))
      }
      var record = CheckoutRecord(path: path, disk: blobs[0], at: journal.now)
      record.markMerging(blobs[1], onto: blobs[2])
      records.append(record)
    }
    try journal.state.checkouts.write(records)
    _ = try await journal.repository.save(
      ["inner/c.md", "a.md"].map { .write($0, Array(Self.typed.utf8), executable: false) },
      message: "save", at: journal.now, offsetMinutes: 0)
    try await world.home.git("init", "-q", "inner", in: "j")
    try world.write(Self.typed, "inner/c.md")
    try world.remove("a.md")
    _ = try await saveAndCheckOut()
    let merged = try world.home.read("j/a.md")
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
  }

  @Test func `an editor's file that was deleted here and restored by a sync is merged`()
    async throws
  {
    let device = try await ReceivingJournal(["a.md": Self.old, "b.md": "Another entry.\n"])
    try await device.commitElsewhere(["a.md": Self.incoming])
    _ = try await device.journal.entries.delete(["a.md"])
    for aside in try await device.integrate() { aside.file.discard() }
    #expect(try device.text("a.md") == Self.incoming)
    // The editor has had the file open all the time.
    try device.write(Self.typed, "a.md")
    _ = try await device.journal.save()
    let merged = try device.text("a.md")
    #expect(merged.contains("Mina") && merged.contains("rain"), "\(merged)")
  }
}
