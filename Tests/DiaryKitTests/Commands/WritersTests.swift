import DiaryCore
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// Two web pages and an editor write one entry in any order. In the end the file contains every
/// word that was typed, and untouched text is still at its position.
@Suite struct WritersTests {
  /// A page that behaves like its script: it sends its text and takes over the merged result.
  private struct Page {
    var entry: EditableEntry
    var body: String
    var own: [String] = []
  }

  private let path: EntryPath = "a.md"
  private let untouched = ["First stays.", "Last stays."]

  @Test(arguments: 1...6)
  func `no word is missing`(part: Int) async throws {
    var dice = SeededGenerator(part: part)
    let world = try await TestJournal([
      path.text: "---\ndate: 2026-11-20\ntitle: T\n---\n\nFirst stays.\n\nMiddle.\n\nLast stays.\n"
    ])
    let journal = try world.journal()
    var pages: [Page] = []
    for _ in 0..<2 {
      let entry = try await journal.page.editable(path)
      pages.append(Page(entry: entry, body: try #require(entry.text?.body)))
    }
    var typed: [String] = []
    var steps: [String] = []
    for step in 0..<40 {
      let who = Int.random(in: 0..<2, using: &dice)
      switch Int.random(in: 0..<8, using: &dice) {
      case 0...3:
        let word = "p\(who)x\(step)"
        pages[who].body = type(word, into: pages[who].body, &dice)
        pages[who].own.append(word)
        steps.append("page \(who) types \(word)")
      case 4, 5:
        try await save(&pages[who], journal)
        typed += pages[who].own
        pages[who].own = []
        steps.append("page \(who) saves")
      case 6:
        let word = "vim\(step)"
        let text = try world.home.read("j/a.md")
        let start = try #require(text.range(of: "\n---\n\n")?.upperBound)
        try world.write(text[..<start] + type(word, into: String(text[start...]), &dice), "a.md")
        typed.append(word)
        steps.append("vim writes \(word)")
      default:
        try await journal.savePaths(path)
        steps.append("the watcher saves")
      }
    }
    for who in pages.indices {
      try await save(&pages[who], journal)
      typed += pages[who].own
    }
    // A page whose text has not changed writes nothing, so what the editor wrote last is the watcher's.
    try await journal.savePaths(path)
    let text = try world.home.read("j/a.md")
    let note: Comment = "\(dice): \(steps)\n\(text)"
    for word in typed { #expect(text.contains(word), note) }
    for line in untouched { #expect(text.contains(line), note) }
    let first = try #require(text.range(of: untouched[0]), note)
    let last = try #require(text.range(of: untouched[1]), note)
    #expect(first.upperBound < last.lowerBound && text.hasPrefix("---\ndate: 2026-11-20\n"), note)
    #expect(try await journal.repository.savedContent(path) == Array(text.utf8), note)
  }

  /// Adds a word to a middle paragraph or as a new one, but never to the first or the last.
  private func type(_ word: String, into body: String, _ dice: inout SeededGenerator) -> String {
    var parts = body.components(separatedBy: "\n\n")
    let place = Int.random(in: 1..<max(2, parts.count - 1), using: &dice)
    if Bool.random(using: &dice), parts[place] != untouched[1] {
      parts[place] += " " + word
    } else {
      parts.insert(word, at: place)
    }
    return parts.joined(separator: "\n\n")
  }

  private func save(_ page: inout Page, _ journal: Journal) async throws {
    let outcome = try await journal.page.write(
      path, title: "T", body: page.body, from: page.entry.version)
    guard case .written(let entry, let merged, _) = outcome else {
      throw DiaryError("\(outcome)")
    }
    page.entry = entry
    if merged { page.body = try #require(entry.text?.body) }
  }
}
