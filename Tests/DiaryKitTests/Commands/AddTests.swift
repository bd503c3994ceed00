import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The `add` command with a day, tags, a place and files.
@Suite struct AddTests {
  private func addition(
    _ message: String? = nil, date: String? = nil, tags: [String] = [], place: String? = nil,
    files: [String] = [], in journal: Journal
  ) throws -> NewEntry {
    var new = NewEntry()
    new.message = message
    new.date = try date.map { try journal.catalog.entryDate(of: $0) }
    (new.tags, new.place, new.attachments) = (tags, place, files)
    return new
  }

  private let walk = "---\ntitle: A walk\ndate: 2026-01-05 09:00\ntags: [old] # mine\n---\n\nOne.\n"

  @Test func `text is added to a day's newest entry and its header stays unchanged`() async throws {
    let world = try await TestJournal(["walk.md": walk])
    let journal = try world.journal()
    let new = try addition(
      "Two.", date: "2026-01-05", tags: ["Old", "river"], place: "Seoul", in: journal)
    let added = try await journal.entries.add(new, to: nil, withTime: false)
    #expect(added.path == "walk.md")
    let text = try String(contentsOfFile: world.home.homePath + "/j/walk.md", encoding: .utf8)
    #expect(text.hasPrefix("---\ntitle: A walk\ndate: 2026-01-05 09:00\n"))
    #expect(text.hasSuffix("---\n\nOne.\n\nTwo.\n"))
    #expect(text.contains("tags: [old, river] # mine\nplace: Seoul\n"))
    #expect(!text.contains("Old"), "a tag that it has in another case is not added again")
    _ = try await journal.history.undo(try await journal.history.planUndo())
    #expect(try String(contentsOfFile: world.home.homePath + "/j/walk.md", encoding: .utf8) == walk)
  }

  @Test func `a time that was given is put before the text, or is the new entry's`() async throws {
    let world = try await TestJournal(["walk.md": walk])
    let journal = try world.journal()
    func add(_ text: String, _ date: String) async throws -> String {
      let new = try addition(text, date: date, in: journal)
      let added = try await journal.entries.add(new, to: nil, withTime: false)
      return try world.home.read("j/" + added.path.text)
    }
    #expect(try await add("Two.", "2026-01-05 10:15").hasSuffix("\n\nOne.\n\n10:15 Two.\n"))
    let other = try await add("Soup.", "2026-01-06 18:30")
    #expect(other.contains("date: 2026-01-06T18:30") && other.hasSuffix("\n\nSoup.\n"), "\(other)")
  }

  @Test func `tags that are a mapping are refused, and the text is printed again`() async throws {
    let file = "---\ntags: {people: [kim], mood: fine} # mine\n---\nOne.\n"
    let world = try await TestJournal(["walk.md": file])
    let journal = try world.journal()
    let new = try addition("Two.", tags: ["river"], in: journal)
    let error = await #expect(throws: DiaryError.self) {
      try await journal.entries.add(new, to: "walk.md", withTime: false)
    }
    #expect(error?.message.contains("\"tags\"") == true, "\(String(describing: error))")
    #expect(error?.details.contains { $0.contains("Two.") } == true)
    #expect(try world.home.read("j/walk.md") == file)
  }

  @Test func `on a day without an entry a new one with that date is made`() async throws {
    let world = try await TestJournal(["walk.md": walk])
    let journal = try world.journal()
    let new = try addition("Soup.", date: "2026-01-06", tags: ["food"], in: journal)
    let added = try await journal.entries.add(new, to: nil, withTime: false)
    let entry = try await journal.catalog.resolve(added.path.text, .mustBeUnique)
    #expect(entry.day?.description == "2026-01-06" && entry.tags == ["food"])
    #expect(try journal.catalog.text(of: added.path).body.contains("Soup."))
  }

  @Test func `a file is copied next to the entry and linked`() async throws {
    let world = try await TestJournal(["walk.md": walk])
    let journal = try world.journal()
    try world.home.write("bytes", to: "a b.png")
    let new = try addition(files: [world.home.homePath + "/a b.png"], in: journal)
    let added = try await journal.entries.add(new, to: "walk.md", withTime: false)
    #expect(try journal.catalog.text(of: added.path).body.hasSuffix("One.\n\n![a b](a%20b.png)\n"))
    #expect(
      try String(contentsOfFile: world.home.homePath + "/j/a b.png", encoding: .utf8) == "bytes")
  }

  @Test func `a place other than the entry's is refused and nothing is added`() async throws {
    let world = try await TestJournal(["walk.md": "---\nplace: Busan\n---\nOne.\n"])
    let journal = try world.journal()
    try world.home.write("bytes", to: "a.png")
    let new = try addition(
      "Two.", place: "Seoul", files: [world.home.homePath + "/a.png"], in: journal)
    await #expect(throws: DiaryError.self) {
      try await journal.entries.add(new, to: "walk.md", withTime: false)
    }
    let text = try String(contentsOfFile: world.home.homePath + "/j/walk.md", encoding: .utf8)
    #expect(text == "---\nplace: Busan\n---\nOne.\n")
    #expect(!FileManager.default.fileExists(atPath: world.home.homePath + "/j/a.png"))
  }
}
