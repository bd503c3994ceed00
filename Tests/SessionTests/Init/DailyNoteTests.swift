import Foundation
import TestSupport
import Testing

/// The daily notes of programs that write one file a day.
@Suite(.serialized) struct DailyNoteTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test(arguments: [
    ("YYYY-MM-DD", "2025-03-10"),
    ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2025/03-March/2025-03-10-Monday"),
    ("ddd, D. MMM YYYY", "Mon, 10. Mar 2025"), ("[day] YYYY/M/D", "day 2025/3/10"),
    ("", "2025-03-10"),
  ])
  func `Obsidian's format names a new entry without a title`(_ format: String, _ name: String)
    async throws
  {
    try home.write(
      "{\"folder\": \"Daily\", \"format\": \"\(format)\"}", to: "j/.obsidian/daily-notes.json")
    try await home.diary("init", "j", "--yes")
    let first = try await home.diary("new", "-m", "One.", "--date", "2025-03-10", in: "j")
    #expect(first.output == home.homePath + "/j/Daily/\(name).md\n", "\(first)")
    let titled = try await home.diary("new", "Tea", "-m", "x", "--date", "2025-03-10", in: "j")
    #expect(titled.output == home.homePath + "/j/Daily/2025-03-10-tea.md\n", "\(titled)")
    let second = try await home.diary("new", "-m", "Two.", "--date", "2025-03-10", in: "j")
    #expect(second.output == first.output, "\(second)")
    let text = try home.read("j/Daily/\(name).md")
    #expect(text.hasSuffix("One.\n\nTwo.\n"), "\(text)")
    #expect(
      try await home.git("status", "--porcelain", in: "j").split(separator: "\n").allSatisfy {
        $0.hasSuffix(".obsidian/")
      })
  }

  @Test func `text is added to the daily note, not to a newer note of the day`() async throws {
    try home.write("{\"folder\": \"Daily\"}", to: "j/.obsidian/daily-notes.json")
    try await home.diary("init", "j", "--yes")
    try await home.diary("new", "Idea", "-m", "i", "--date", "2025-03-10", in: "j")
    let note = home.homePath + "/j/Daily/2025-03-10.md\n"
    for text in ["One.", "Two."] {
      let added = try await home.diary("add", "--date", "2025-03-10", text, in: "j")
      #expect(added.output == note, "\(added)")
    }
    let timed = try await home.diary("new", "-m", "Three.", "--date", "2025-03-10 9:05", in: "j")
    #expect(timed.output == note, "\(timed)")
    #expect(try home.read("j/Daily/2025-03-10.md").hasSuffix("One.\n\nTwo.\n\n09:05 Three.\n"))
  }

  @Test func `a vault without settings has its daily notes at the root`() async throws {
    try home.write("{}", to: "j/.obsidian/app.json")
    try home.write("Old.\n", to: "j/2025-03-09.md")
    try await home.diary("init", "j", "--yes")
    let new = try await home.diary("new", "-m", "One.", "--date", "2025-03-10", in: "j")
    #expect(new.output == home.homePath + "/j/2025-03-10.md\n", "\(new)")
    let more = try await home.diary("new", "-m", "More.", "--date", "2025-03-09", in: "j")
    #expect(more.status == 0, "\(more)")
    #expect(try home.read("j/2025-03-09.md") == "Old.\n\nMore.\n")
  }

  @Test func `the Periodic Notes plugin takes precedence where it is enabled`() async throws {
    try home.write("{\"folder\": \"Daily\"}", to: "j/.obsidian/daily-notes.json")
    try home.write(
      "{\"daily\": {\"enabled\": true, \"folder\": \"Log\", \"format\": \"YYYYMMDD\"}}",
      to: "j/.obsidian/plugins/periodic-notes/data.json")
    try await home.diary("init", "j", "--yes")
    let new = try await home.diary("new", "-m", "One.", "--date", "2025-03-10", in: "j")
    #expect(new.output == home.homePath + "/j/Log/20250310.md\n", "\(new)")
  }

  @Test func `Logseq's journals by default and with its settings`() async throws {
    try home.write("- x\n", to: "j/journals/2025_03_09.md")
    try home.write(
      "{;; :journal/file-name-format \"yyyy.MM.dd\"\n :meta/version 1}\n", to: "j/logseq/config.edn"
    )
    try await home.diary("init", "j", "--yes")
    let new = try await home.diary("new", "-m", "One.", "--date", "2025-03-10", in: "j")
    #expect(new.output == home.homePath + "/j/journals/2025_03_10.md\n", "\(new)")
    try home.write("- x\n", to: "k/tage/2025-03-09.md")
    try home.write("", to: "k/journals/.keep")
    try home.write(
      "{:journal/file-name-format \"yyyy-MM-dd\"\n :journals-directory \"tage\"}\n",
      to: "k/logseq/config.edn")
    try await home.diary("init", "k", "--yes")
    let other = try await home.diary("new", "-m", "One.", "--date", "2025-03-10", in: "k")
    #expect(other.output == home.homePath + "/k/tage/2025-03-10.md\n", "\(other)")
  }

  @Test func `an unsupported format is reported`() async throws {
    try home.write("{\"format\": \"gggg-[W]ww\"}", to: "j/.obsidian/daily-notes.json")
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.errors.contains("names its daily notes gggg-[W]ww, which Diary does not support"))
  }

  @Test func `an existing daily note is opened and gets no tags`() async throws {
    try home.write("{\"folder\": \"Daily\"}", to: "j/.obsidian/daily-notes.json")
    try await home.diary("init", "j", "--yes")
    home.set("EDITOR", try home.script("ed", "sleep 0.1; echo 'From the editor.' >> \"$1\"\n"))
    let added = try await home.diary("add", "One.", in: "j")
    let note = String(added.output.dropFirst(home.homePath.count + 1).dropLast())
    #expect(note.hasPrefix("j/Daily/") && note.hasSuffix(".md"), "\(added)")
    let opened = try await home.diary("new", in: "j")
    #expect(opened.output == added.output, "\(opened)")
    #expect(opened.errors.contains("Opening the existing note of the day"), "\(opened)")
    let text = try home.read(note)
    #expect(text.hasSuffix("One.\nFrom the editor.\n"), "\(text)")
    let past = try await home.diary("new", "--date", "2025-03-10", in: "j")
    #expect(past.output == home.homePath + "/j/Daily/2025-03-10.md\n", "\(past)")
    let tagged = try await home.diary("new", "-m", "Words.", "--tag", "x", in: "j")
    #expect(tagged.status == 1 && tagged.errors.contains("already exists"), "\(tagged)")
    #expect(tagged.errors.contains("Words."), "\(tagged)")
    #expect(try home.read(note) == text)
    let more = try await home.diary("add", "Two.", in: "j")
    #expect(more.output == added.output, "\(more)")
  }
}
