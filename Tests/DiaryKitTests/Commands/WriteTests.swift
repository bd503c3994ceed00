import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import TestSupport
import Testing

@testable import DiaryKit

/// An entry that the web page writes while others write it too.
@Suite struct WriteTests {
  private static let file = """
    ---
    title: A walk
    date: 2026-11-20T10:00:00+09:00
    ---

    We met at the station.

    Then we walked along the river.

    """
  private let path: EntryPath = "2026/a.md"

  private func makeJournal(_ text: String = file) async throws -> (TestJournal, Journal) {
    let world = try await TestJournal([path.text: text])
    return (world, try world.journal())
  }

  private func requireWritten(_ outcome: WriteOutcome) throws -> (
    entry: EditableEntry, merged: Bool, keptBoth: Bool
  ) {
    guard case .written(let entry, let merged, let keptBoth) = outcome else {
      throw DiaryError("\(outcome)")
    }
    return (entry, merged, keptBoth)
  }

  /// The number of versions, which grows with every save.
  private func versionCount(_ journal: Journal) async throws -> Int {
    try await journal.history.history(of: path).versions.count
  }

  @Test func `a body is written and saved but not yet committed`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    #expect(entry.text?.title == "A walk" && entry.readOnlyReason == nil && entry.heldBy == nil)
    let body = "We met at the station.\n\nThen we went home."
    let saved = try requireWritten(
      try await journal.page.write(path, title: "A walk", body: body, from: entry.version))
    #expect(!saved.merged && !saved.keptBoth && saved.entry.version != entry.version)
    #expect(try world.home.read("j/" + path.text).hasSuffix("Then we went home.\n"))
    #expect(try await journal.repository.savedContent(path) == saved.entry.content.bytes)
    #expect(try await world.git("rev-list", "--count", "HEAD") == "1\n")
    #expect(try await journal.catalog.list().first?.preview.hasSuffix("went home.") == true)
    // A repeated request, as if the reply was lost, returns the same version without a save.
    let count = try await versionCount(journal)
    for version in [entry.version, saved.entry.version] {
      let again = try requireWritten(
        try await journal.page.write(path, title: "A walk", body: body, from: version))
      #expect(again.entry.version == saved.entry.version && !again.merged)
    }
    #expect(try await versionCount(journal) == count)
    #expect(try await journal.page.endSittingUnlessWatched().commit?.paths == [path])
  }

  @Test func `a change on disk is merged and both versions are in the history`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    let body = try #require(entry.text?.body)
    // The change is in another paragraph and in the header.
    let other = Self.file.replacingOccurrences(of: "station", with: "harbour")
      .replacingOccurrences(of: "---\n\nWe", with: "weather: Rain\n---\n\nWe")
    try world.write(other, path.text)
    let mine = body + "\n\nIt rained."
    let saved = try requireWritten(
      try await journal.page.write(path, title: "A wet walk", body: mine, from: entry.version))
    #expect(saved.merged && !saved.keptBoth)
    let text = try world.home.read("j/" + path.text)
    for words in ["harbour", "weather: Rain", "It rained.", "title: A wet walk", "river"] {
      #expect(text.contains(words), "\(text)")
    }
    #expect(!text.contains("station"))
    let versions = try await journal.history.history(of: path).versions
    #expect(versions.count == 3)
    #expect(
      String(decoding: try await journal.history.text(of: path, at: "1").bytes, as: UTF8.self)
        == other)
  }

  @Test func `two changes of the same word are both kept`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    let body = try #require(entry.text?.body)
    try world.write(Self.file.replacingOccurrences(of: "river", with: "canal"), path.text)
    let saved = try requireWritten(
      try await journal.page.write(
        path, title: "A walk", body: body.replacingOccurrences(of: "river", with: "shore"),
        from: entry.version))
    #expect(saved.merged && saved.keptBoth)
    let text = try world.home.read("j/" + path.text)
    #expect(text.contains("canal") && text.contains("shore"), "\(text)")
  }

  @Test func `line endings changed on disk are preserved`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    let body = try #require(entry.text?.body)
    try world.write(Self.file.replacingOccurrences(of: "\n", with: "\r\n"), path.text)
    let saved = try requireWritten(
      try await journal.page.write(
        path, title: "A walk", body: body + "\nMore.", from: entry.version))
    #expect(saved.entry.text?.body == body + "\nMore.")
    #expect(saved.entry.content.bytes.count { $0 == 0x0D } >= 8)
  }

  @Test func `a removed entry is not created again`() async throws {
    for isRenamed in [false, true] {
      let (world, journal) = try await makeJournal()
      let entry = try await journal.page.editable(path)
      try world.remove(path.text)
      if isRenamed { try world.write(Self.file, "2026/b.md") }
      let outcome = try await journal.page.write(path, title: "", body: "late", from: entry.version)
      guard case .deleted = outcome else {
        Issue.record("\(outcome)")
        continue
      }
      #expect(!world.home.exists("j/" + path.text))
      await #expect(throws: DiaryError.self) { try await journal.page.editable(path) }
    }
  }

  @Test func `a write is refused while an editor has the entry open`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    var block = [UInt8](repeating: 0, count: 4_096)
    block.replaceSubrange(0..<2, with: "b0".utf8)
    var machine = [CChar](repeating: 0, count: 256)
    gethostname(&machine, 255)
    let host = machine.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    block.replaceSubrange(68..<(68 + host.count), with: host)
    withUnsafeBytes(of: getppid().littleEndian) { block.replaceSubrange(24..<28, with: $0) }
    try Data(block).write(to: URL(fileURLWithPath: world.home.homePath + "/j/2026/.a.md.swp"))
    #expect(try await journal.page.editable(path).heldBy?.isEmpty == false)
    let outcome = try await journal.page.write(path, title: "", body: "mine", from: entry.version)
    guard case .held(let name) = outcome else { throw DiaryError("\(outcome)") }
    #expect(!name.isEmpty)
    #expect(try world.home.read("j/" + path.text) == Self.file)
    // A write without a change is accepted.
    let text = try #require(entry.text)
    _ = try requireWritten(
      try await journal.page.write(path, title: text.title, body: text.body, from: entry.version))
    try world.remove("2026/.a.md.swp")
    _ = try requireWritten(
      try await journal.page.write(path, title: "A walk", body: "mine", from: entry.version))
  }

  @Test func `if a text cannot be merged the one on disk is returned`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    let bytes = Array(Self.file.utf8) + [0xE9, 0x0A]
    try Data(bytes).write(to: URL(fileURLWithPath: world.home.homePath + "/j/" + path.text))
    let outcome = try await journal.page.write(path, title: "", body: "mine", from: entry.version)
    guard case .unknownVersion(let now) = outcome else { throw DiaryError("\(outcome)") }
    #expect(now.text == nil && now.readOnlyReason?.isEmpty == false && now.content.bytes == bytes)
    #expect(try journal.folder.read(path)?.bytes == bytes)
  }

  @Test func `with an unknown base version no text is lost`() async throws {
    let (world, journal) = try await makeJournal()
    defer { withExtendedLifetime(world) {} }
    let version = String(repeating: "0", count: 40)
    let saved = try requireWritten(
      try await journal.page.write(
        path, title: "A walk", body: "Quite another text.", from: version))
    let body = try #require(saved.entry.text?.body)
    #expect(saved.merged && body.contains("Quite another") && body.contains("station"), "\(body)")
  }

  @Test func `the base of a save is found by another process`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    let first = try requireWritten(
      try await journal.page.write(path, title: "A walk", body: "One.\n\nTwo.", from: entry.version)
    )
    try world.write(
      Self.file.replacingOccurrences(of: "We met at the station.", with: "One.")
        .replacingOccurrences(of: "Then we walked along the river.", with: "Two, and more."),
      path.text)
    let again = try requireWritten(
      try await world.journal().page.write(
        path, title: "A walk", body: "One, first.\n\nTwo.", from: first.entry.version))
    #expect(again.merged && again.entry.text?.body == "One, first.\n\nTwo, and more.")
  }

  @Test func `text that is not allowed in an entry is refused before writing`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    await #expect(throws: DiaryError.self) {
      try await journal.page.write(path, title: "A walk", body: "a\0b", from: entry.version)
    }
    #expect(try world.home.read("j/" + path.text) == Self.file)
  }

  @Test func `text is saved while git's index is locked or a merge is in progress`() async throws {
    for name in ["index.lock", "MERGE_HEAD"] {
      let (world, journal) = try await makeJournal()
      let entry = try await journal.page.editable(path)
      try world.write(
        name == "MERGE_HEAD" ? try await world.git("rev-parse", "HEAD") : "", ".git/" + name)
      let saved = try requireWritten(
        try await journal.page.write(path, title: "A walk", body: "Mine.", from: entry.version))
      #expect(try await journal.repository.savedContent(path) == saved.entry.content.bytes)
      let outcome = try await journal.locked { journal in
        var outcome = SaveOutcome()
        try await journal.saver.endSitting(into: &outcome, timeout: 0)
        return outcome
      }
      #expect(outcome.commit == nil && outcome.deferReason != nil, "\(name)")
      try world.remove(".git/" + name)
      #expect(try await journal.page.endSittingUnlessWatched().commit?.paths == [path])
    }
  }

  @Test func `a failed write throws an error and leaves the text unchanged`() async throws {
    let (world, journal) = try await makeJournal()
    let entry = try await journal.page.editable(path)
    // root can write into every folder, but a file with a second hard link is refused.
    link(world.home.homePath + "/j/" + path.text, world.home.homePath + "/other-name")
    await #expect(throws: (any Error).self) {
      try await journal.page.write(path, title: "A walk", body: "Mine.", from: entry.version)
    }
    #expect(try world.home.read("j/" + path.text) == Self.file)
  }

  @Test func `ten minutes of typing become one commit`() async throws {
    let (world, journal) = try await makeJournal()
    var entry = try await journal.page.editable(path)
    var body = try #require(entry.text?.body)
    for second in 0..<60 {
      body += " w\(second)"
      entry = try requireWritten(
        try await journal.page.write(path, title: "A walk", body: body, from: entry.version)
      ).entry
    }
    #expect(try await world.git("rev-list", "--count", "HEAD") == "1\n")
    #expect(try await journal.page.endSittingUnlessWatched().commit != nil)
    #expect(try await world.git("rev-list", "--count", "HEAD") == "2\n")
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test func `an entry is created with its first text and named when it is closed`() async throws {
    let (world, journal) = try await makeJournal()
    for (title, body) in [("", " \n"), ("\n", "")] {
      await #expect(throws: DiaryError.self) {
        try await journal.page.create(title: title, body: body)
      }
    }
    let begun = try await journal.page.create(title: "A d", body: "")
    #expect(begun.text?.title == "A d" && begun.summary.day != nil)
    #expect(!begun.path.name.contains("A"), "\(begun.path.text)")
    #expect(try await journal.repository.savedContent(begun.path) != nil)
    let saved = try requireWritten(
      try await journal.page.write(
        begun.path, title: "A day out", body: "By the sea.", from: begun.version))
    let named = try #require(try await journal.page.finishEditing(begun.path))
    #expect(named.name.contains("day-out"), "\(named.text)")
    #expect(try await journal.page.finishEditing(named) == named)
    #expect(try journal.folder.read(named)?.bytes == saved.entry.content.bytes)
    #expect(!world.home.exists("j/" + begun.path.text))
    #expect(try await journal.repository.savedContent(begun.path) == nil)
    #expect(try await journal.catalog.list().map(\.path).contains(named))
    #expect(try await journal.page.endSittingUnlessWatched().commit?.paths == [named])
    // An old entry keeps its name, whatever its title.
    #expect(try await journal.page.finishEditing(path) == path)
  }

  @Test func `a new entry that was emptied is removed but an old one is kept`() async throws {
    let (world, journal) = try await makeJournal()
    let begun = try await journal.page.create(title: "", body: "Hm")
    let emptied = try requireWritten(
      try await journal.page.write(begun.path, title: "", body: "", from: begun.version))
    #expect(emptied.entry.text?.body == "")
    #expect(try await journal.page.finishEditing(begun.path) == nil)
    #expect(!world.home.exists("j/" + begun.path.text))
    let entry = try await journal.page.editable(path)
    _ = try requireWritten(
      try await journal.page.write(path, title: "", body: "", from: entry.version))
    #expect(
      try await journal.page.finishEditing(path) == path && world.home.exists("j/" + path.text))
  }

  @Test func `the weather of a new entry is queued without delay`() async throws {
    let world = try await TestJournal()
    try world.home.write(
      "place: {name: Seoul, latitude: 37.57, longitude: 126.98}\n", to: ".config/diary/config.yml")
    let journal = try world.journal()
    #expect(journal.settings.weatherProvider != .off && journal.settings.place != nil)
    let begun = try await journal.page.create(title: "A day", body: "")
    #expect(journal.state.queuedStamps.read().map(\.path) == [begun.path.text])
    let named = try #require(try await journal.page.finishEditing(begun.path))
    #expect(journal.state.queuedStamps.read().map(\.path) == [named.text])
  }

  @Test func `deletions are undone one by one in any order`() async throws {
    let world = try await TestJournal(["a.md": "one\n", "b.md": "two\n"])
    let journal = try world.journal()
    var names: [String] = []
    for path: EntryPath in ["a.md", "b.md"] {
      let version = try await journal.page.editable(path).version
      await #expect(throws: DiaryError.self) {
        try await journal.page.delete(path, from: String(repeating: "1", count: 40))
      }
      names.append(try await journal.page.delete(path, from: version))
      #expect(!world.home.exists("j/" + path.text))
    }
    #expect(try await journal.page.undoDeletion(names[0]).path == "a.md")
    #expect(try world.home.read("j/a.md") == "one\n" && !world.home.exists("j/b.md"))
    #expect(try await journal.page.undoDeletion(names[1]).path == "b.md")
    #expect(try world.home.read("j/b.md") == "two\n")
    await #expect(throws: DiaryError.self) { try await journal.page.undoDeletion(names[1]) }
    await #expect(throws: DiaryError.self) { try await journal.page.undoDeletion("none") }
  }

  @Test func `a waiting checkout is merged with the page's text`() async throws {
    let came = OldBufferMergeTests.incoming
    let world = try await TestJournal(["a.md": OldBufferMergeTests.old])
    let journal = try world.journal()
    let entry = try await journal.page.editable("a.md")
    try world.write(came, "a.md")
    _ = try await world.git("commit", "-qam", "another device")
    try world.write(OldBufferMergeTests.old, "a.md")
    let seen = try await journal.repository.blobID(
      of: Array(OldBufferMergeTests.old.utf8), at: "a.md")
    try journal.gitLocation.makeDiaryDirectory()
    try journal.state.checkouts.write([
      CheckoutRecord(path: "a.md", disk: seen, at: journal.now)
    ])
    let text = try #require(entry.text)
    let saved = try requireWritten(
      try await journal.page.write(
        "a.md", title: text.title, body: "Then I walked home.", from: entry.version))
    let disk = try world.home.read("j/a.md")
    #expect(disk.contains("Mina") && disk.contains("walked home"), "\(disk)")
    #expect(saved.merged && saved.entry.content.bytes == Array(disk.utf8))
  }

  @Test func `text removed in the page stays removed after a sync brought it`() async throws {
    let suite = try await OldBufferMergeTests()
    let entry = try await suite.journal.page.editable("a.md")
    let text = try #require(entry.text)
    _ = try requireWritten(
      try await suite.journal.page.write("a.md", title: text.title, body: "", from: entry.version))
    let now = try suite.world.home.read("j/a.md")
    #expect(now.hasPrefix(OldBufferMergeTests.old) && !now.contains("Mina"), "\(now)")
  }
}
