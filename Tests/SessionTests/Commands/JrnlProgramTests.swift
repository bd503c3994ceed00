import Foundation
import TestSupport
import Testing

/// Exchanges entries with the real jrnl program in both directions.
@Suite struct JrnlProgramTests {
  let home: Sandbox
  private let jrnl = Project.root.appendingPathComponent(".build/jrnl/bin/jrnl").path

  private static let journal = """
    [2024-12-31 23:59] Last night of the year. *
    Fireworks over the river. @family @두리

    A second paragraph, with *emphasis* and `code`.

    # A heading

    - one
    - two

    [2025-01-01 09:00] First snow
    오늘은 한강을 걸었다. 🎉

    [2025-01-01 09:00] First snow
    Another entry of the same minute and title.

    [2025-02-03 14:30] 新しい日。
    [not a date] stays text.

    [2025-03-04 08:15] Only a title

    """

  init() throws {
    home = try Sandbox()
    guard FileManager.default.isExecutableFile(atPath: jrnl) else {
      throw ProgramFailed(message: "jrnl is missing; .ci/install-jrnl installs it")
    }
    home.set("XDG_CONFIG_HOME", home.homePath + "/.config")
    home.set("XDG_DATA_HOME", home.homePath + "/data")
    try home.write("", to: "data/keep")
    try home.write("", to: "jrnl.txt")
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/days", withIntermediateDirectories: true)
    try home.write(
      """
      journals:
        default: {journal: \(home.homePath)/jrnl.txt}
        days: {journal: \(home.homePath)/days/}
      colors: {body: none, date: none, tags: none, title: none}
      default_hour: 9
      default_minute: 0
      display_format: pretty
      editor: ''
      encrypt: false
      highlight: true
      indent_character: '|'
      linewrap: 79
      tagsymbols: '@'
      template: false
      timeformat: '%Y-%m-%d %H:%M'
      version: v4.6

      """, to: ".config/jrnl/jrnl.yaml")
  }

  @discardableResult
  private func jrnl(_ words: String...) async throws -> String {
    let done = try await home.run(jrnl, words)
    #expect(done.status == 0, "jrnl \(words): \(done)")
    return done.output
  }

  /// The fields of an entry that both programs report.
  private struct ReportedEntry: Hashable, CustomStringConvertible {
    let title, date, body: String
    let isStarred: Bool
    var description: String { "\(date) \(title) \(isStarred ? "*" : "") \(body.debugDescription)" }
  }

  private func entries(fromJrnl json: String) throws -> [ReportedEntry] {
    struct Export: Decodable {
      struct Entry: Decodable {
        let title, body, date, time: String
        let starred: Bool
      }
      let entries: [Entry]
    }
    return try JSONDecoder().decode(Export.self, from: Data(json.utf8)).entries.map {
      ReportedEntry(
        title: $0.title, date: "\($0.date) \($0.time)", body: Self.normalized($0.body),
        isStarred: $0.starred)
    }
  }

  private func entries(fromDiaryIn folder: String) async throws -> [ReportedEntry] {
    struct Export: Decodable {
      struct Entry: Decodable {
        let title, date, body: String
        let fields: [String: JSONText]
      }
      let entries: [Entry]
    }
    struct JSONText: Decodable {
      let text: String?
      init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
      }
    }
    let json = try await home.diary("export", "--format", "json", "-", in: folder).output
    return try JSONDecoder().decode(Export.self, from: Data(json.utf8)).entries.map {
      let date = $0.date.replacing("T", with: " ").prefix(16)
      return ReportedEntry(
        title: $0.title, date: String(date), body: Self.normalized($0.body),
        isStarred: $0.fields["starred"]?.text == "true")
    }
  }

  private static func normalized(_ body: String) -> String {
    body.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }.joined(separator: "\n")
  }

  @Test func `Diary reads jrnl's text and JSON and names its other exports`() async throws {
    try home.write(Self.journal, to: "in.txt")
    try await jrnl("--import", "--file", "in.txt")
    try await jrnl("days", "--import", "--file", "in.txt")
    let all = Set(try entries(fromJrnl: try await jrnl("--format", "json")))
    #expect(all.count == 5)
    for format in ["text", "json", "md", "yaml"] {
      let isFolder = format == "yaml"
      if isFolder {
        try FileManager.default.createDirectory(
          atPath: home.homePath + "/out.yaml", withIntermediateDirectories: true)
      }
      try await jrnl("--format", format, "--file", "out." + format)
    }
    for source in ["jrnl.txt", "days", "out.text", "out.json"] {
      let folder = "j-" + source
      try await home.diary("init", folder)
      let done = try await home.diary("import", "../" + source, in: folder)
      #expect(done.status == 0, "\(source): \(done)")
      #expect(Set(try await entries(fromDiaryIn: folder)) == all, "\(source)")
    }
    // These formats lose words. They are refused, with a way that loses none.
    for source in ["out.md", "out.yaml"] {
      let refused = try await home.diary("import", "../" + source, in: "j-days")
      #expect(refused.status == 1, "\(source): \(refused)")
      #expect(refused.errors.contains("`jrnl --export json`"), "\(source): \(refused)")
    }
  }

  @Test func `jrnl reads everything that Diary writes and exports it unchanged`() async throws {
    // Diary's export adds a space before a line that jrnl would read as the start of an entry.
    try home.write(Self.journal.replacing("[not a date]", with: "(not a date)"), to: "in.txt")
    try await home.diary("init", "j")
    try await home.diary("import", "../in.txt", in: "j")
    try await home.diary("export", "--format", "jrnl", "../jrnl.txt", "--force", in: "j")
    let read = try entries(fromJrnl: try await jrnl("--format", "json"))
    #expect(Set(read) == Set(try await entries(fromDiaryIn: "j")))
    #expect(read.count == 5)
    // Importing jrnl's export adds no duplicates.
    let again = try await home.diary("import", "../jrnl.txt", in: "j")
    #expect(again.output.hasPrefix("Imported 0 entries, 5 already here"), "\(again)")
  }
}
