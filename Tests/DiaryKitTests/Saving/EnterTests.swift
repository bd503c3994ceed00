import DiaryCore
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// Commands that meet a file for which a sync has a newer text.
@Suite struct EnterTests {
  static let old = "---\ntitle: Station\n---\n\nWe met at the station.\n"
  static let incoming = old + "\nMina told me that she will move in the spring.\n"
  static let added = old + "\nA paragraph by mistake.\n"

  /// Each command that changes an existing entry, on `a.md`.
  enum Command: String, CaseIterable {
    case rename, delete, restore, undo, star, add, fix, page

    func run(_ journal: Journal) async throws {
      switch self {
      case .rename: _ = try await journal.entries.rename("a.md", to: "Night")
      case .delete: _ = try await journal.entries.delete(["a.md"])
      case .restore:
        let entry = try await journal.catalog.resolve("a.md", .newestOfDay)
        _ = try await journal.history.restore(.current(entry), at: "1")
      case .undo: _ = try await journal.history.undo(try await journal.history.planUndo())
      case .star: _ = try await journal.entries.star(["a.md"], true)
      case .add:
        var addition = NewEntry()
        addition.message = "An evening."
        _ = try await journal.entries.add(addition, to: "a.md", withTime: false)
      case .fix: _ = try await journal.entries.fixQuotes()
      case .page:
        let shown = try await journal.page.editable("a.md")
        _ = try await journal.page.write(
          "a.md", title: "Station", body: "We met at the station, late.\n", from: shown.version)
      }
    }
  }

  /// Makes a journal with two versions of `a.md`, whose branch has a third one from another device
  /// that is not on the disk yet.
  private func waitingJournal(_ command: Command) async throws -> (TestJournal, Journal) {
    var old = Self.old
    if command == .fix { old = old.replacingOccurrences(of: "Station", with: "Station: late") }
    let world = try await TestJournal(["a.md": old, "other.md": "Another entry.\n"])
    let journal = try world.journal()
    var addition = NewEntry()
    addition.message = "A paragraph by mistake."
    _ = try await journal.entries.add(addition, to: "a.md", withTime: false)
    let shown = try world.home.read("j/a.md")
    try world.write(shown + "\nMina told me that she will move in the spring.\n", "a.md")
    _ = try await world.git("commit", "-qam", "another device")
    try world.write(shown, "a.md")
    let seen = try await journal.repository.blobID(of: Array(shown.utf8), at: "a.md")
    try journal.state.checkouts.write([
      CheckoutRecord(path: "a.md", disk: seen, at: journal.now)
    ])
    return (world, journal)
  }

  @Test(arguments: Command.allCases)
  func `a command brings a file up to date before it changes it`(_ command: Command) async throws {
    let (world, journal) = try await waitingJournal(command)
    // Some commands refuse a text that the user has not seen: then it is on the disk by now.
    do { try await command.run(journal) } catch {
      #expect([.delete, .restore, .undo, .page].contains(command), "\(error)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: world.home.homePath + "/j")
      .filter { $0.hasSuffix(".md") && $0 != "INDEX.md" && $0 != "other.md" }
    let texts = try names.map { try world.home.read("j/" + $0) }
    #expect(texts.count == 1 && texts.allSatisfy { $0.contains("Mina told me") }, "\(texts)")
    #expect(try journal.checkouts.loadWaitingCheckouts().isEmpty)
    #expect(try await journal.status().unsaved == [])
  }

  @Test(arguments: Command.allCases)
  func `a command refuses a file that waits for its editor`(_ command: Command) async throws {
    let (world, journal) = try await waitingJournal(command)
    let before = try world.home.read("j/a.md")
    try FileManager.default.createSymbolicLink(
      atPath: world.home.homePath + "/j/.#a.md",
      withDestinationPath: "mina@\(ProcessInfo.processInfo.hostName).\(getpid())")
    switch command {
    case .fix: #expect(try await journal.entries.fixQuotes() == [])
    case .page:
      let shown = try await journal.page.editable("a.md")
      let outcome = try await journal.page.write(
        "a.md", title: "Station", body: "Another text.\n", from: shown.version)
      guard case .held = outcome else {
        Issue.record("\(outcome)")
        return
      }
    case .undo: #expect(try await journal.history.planUndo().steps == [])
    default:
      let error = await #expect(throws: DiaryError.self) { try await command.run(journal) }
      #expect(error?.message.contains("not yet updated") == true, "\(String(describing: error))")
    }
    #expect(try world.home.read("j/a.md") == before)
    #expect(try journal.checkouts.loadWaitingCheckouts().keys.map(\.text) == ["a.md"])
  }

  @Test func `an undo leaves a picture that an entry still shows`() async throws {
    let world = try await TestJournal(["a.md": "One.\n"])
    let journal = try world.journal()
    try world.home.write("picture", to: "p.png")
    var addition = NewEntry()
    addition.attachments = [world.home.homePath + "/p.png"]
    _ = try await journal.entries.add(addition, to: "a.md", withTime: false)
    try world.write(try world.home.read("j/a.md") + "\nA later thought.\n", "a.md")
    _ = try await journal.save()
    let plan = try await journal.history.planUndo(keepingChanged: true)
    #expect(plan.steps == [])
    #expect(plan.skipped.map(\.path.text).sorted() == ["a.md", "p.png"])
    let stopped = try await journal.history.planUndo()
    #expect(stopped.steps == [] && stopped.skipped.map(\.path.text) == ["a.md"])
  }
}
