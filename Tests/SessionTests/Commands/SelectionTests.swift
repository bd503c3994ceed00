import Foundation
import TestSupport
import Testing

/// Commands for several entries: spans, ranges, filters and paths from a pipe.
@Suite(.serialized) struct SelectionTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    let days = [
      ("2016-11-16", "Mon"), ("2016-11-17", "Tue one"), ("2016-11-17", "Tue two"),
      ("2016-11-20", "Fri"),
    ]
    for (number, (day, title)) in days.enumerated() {
      try home.write(
        "---\ntitle: \(title)\ndate: \(day)T0\(number):00:00Z\ntags: [t\(number)]\n---\n\nSoup.\n",
        to: "j/\(number).md")
    }
    try await home.diary("save", in: "j")
  }

  private func titles(_ arguments: String...) async throws -> [String] {
    let shown = try await home.run(Sandbox.programs + "/diary", arguments, in: "j")
    #expect(shown.status == 0, "\(arguments): \(shown)")
    return shown.output.matches(of: /title: (.*)/).map { String($0.output.1) }
  }

  @Test func `a date or a range shows all its entries, the oldest first`() async throws {
    #expect(try await titles("show", "2016-11-17") == ["Tue one", "Tue two"])
    #expect(try await titles("show", "2016-11") == ["Mon", "Tue one", "Tue two", "Fri"])
    #expect(try await titles("show", "1..3") == ["Tue one", "Tue two", "Fri"])
    #expect(try await titles("show", "4..9") == ["Mon"])
    #expect(try await titles("1..2") == ["Tue two", "Fri"])
    #expect(try await titles("show", "1", "2016-11-17", "2") == ["Fri", "Tue one", "Tue two"])
    let told = try await home.diary("show", "2016-11", in: "j")
    #expect(told.errors.contains("4 entries"), "\(told)")
    let shared = try await home.diary("share", "2016-11-17", "--format", "text", in: "j")
    #expect(shared.output.hasPrefix("Tue one\n") && shared.output.contains("Tue two"), "\(shared)")
    let hyphen = try await home.diary("show", "1-3", in: "j")
    #expect(hyphen.status == 2 && hyphen.errors.contains("`1..3`"), "\(hyphen)")
    // Two words make one date.
    let year = Calendar(identifier: .gregorian).component(.year, from: Date()) - 1
    for month in ["03", "05"] {
      let text = "---\ntitle: In \(month)\ndate: \(year)-\(month)-01\n---\n\nSoup.\n"
      try home.write(text, to: "j/\(month).md")
    }
    #expect(try await titles("show", "last", "year") == ["In 03", "In 05"])
  }

  @Test func `a command for one entry names those of a date`() async throws {
    for words in [
      ["history", "2016-11-17"], ["rename", "2016-11-17", "New"], ["show", "1..2", "--at", "0"],
      ["add", "--to", "1..2", "More."],
    ] {
      let refused = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(refused.status == 64 && refused.output.isEmpty, "\(words): \(refused)")
      #expect(refused.errors.contains("matches 2 entries"), "\(words): \(refused)")
    }
    let added = try await home.diary("add", "--to", "2016-11-17", "More.", in: "j")
    #expect(added.status == 0 && added.output.hasSuffix("/2.md\n"), "\(added)")
  }

  @Test func `filters and a pipe select entries`() async throws {
    let starred = try await home.diary("star", "--on", "2016-11-17", in: "j")
    #expect(starred.output == "Starred 1.md\nStarred 2.md\n", "\(starred)")
    for paths in ["--paths", "--paths -0"] {
      let piped = try await home.run(
        "sh", ["-c", "diary list --starred \(paths) | diary unstar -"], in: "j")
      #expect(piped.output.split(separator: "\n").count == 2, "\(piped)")
      try await home.diary("star", "2016-11-17", in: "j")
    }
    let relative = try await home.diary("show", "-", in: "j", input: "3.md\n")
    #expect(relative.output.contains("title: Fri"), "\(relative)")
    let unknown = try await home.diary("star", "-", in: "j", input: "3.md\nnone.md\n")
    #expect(unknown.status == 2 && unknown.errors.contains("none.md is not an entry"), "\(unknown)")
    #expect(try !home.read("j/3.md").contains("starred"))
    try home.write("# Semi-dry\n", to: "j/4.md")
    try await home.diary("save", in: "j")
    try await home.run("rm", ["4.md"], in: "j")
    let shown = try await home.diary("show", "-", in: "j", input: "")
    #expect(shown.status == 2 && shown.output.isEmpty, "a missing entry has a hyphen: \(shown)")
    let nothing = try await home.diary("star", "-", in: "j", input: "")
    #expect(nothing.status == 2 && nothing.errors.contains("no entry matches"), "\(nothing)")
    let both = try await home.diary("star", "1", "-", in: "j", input: "3.md\n")
    #expect(both.status == 64, "\(both)")
    let full = try await home.diary("search", "soup", "--full", "--tag", "t1", in: "j")
    #expect(full.output == (try home.read("j/1.md")), "\(full)")
    let none = try await home.diary("search", "stew", "-f", in: "j")
    #expect(none.status == 2 && none.output.isEmpty, "\(none)")
  }

  @Test func `several entries are deleted only after a question or with --all`() async throws {
    for words in [["2016-11"], ["1..2"], ["--tag", "t0", "--since", "2016"]] {
      let refused = try await home.run(
        Sandbox.programs + "/diary", ["delete", "--yes"] + words, in: "j")
      if words.contains("t0") {
        #expect(refused.output == "Deleted 0.md\n", "one entry needs no --all: \(refused)")
        try await home.diary("undo", "--yes", in: "j")
      } else {
        #expect(refused.status == 64 && refused.errors.contains("add --all"), "\(refused)")
      }
    }
    let asked = try await home.diary("delete", "2016-11-17", in: "j")
    #expect(asked.status == 1 && asked.errors.contains("not a terminal"), "\(asked)")
    #expect(home.files(in: "j").filter { $0.hasSuffix(".md") && $0 != "INDEX.md" }.count == 4)
    let terminal = try await Terminal(home, in: "j")
    try await terminal.enter("clear; diary list --on 2016-11-17 --paths | diary delete -")
    #expect(try await terminal.shows("Delete these 2 entries? [y/N]"))
    #expect(try await terminal.screen().contains("Tue one"))
    #expect(try await !terminal.screen().contains("x1B"))
    try await terminal.enter("y")
    #expect(try await terminal.shows("Deleted 2.md"))
    await terminal.close()
    let all = try await home.diary("delete", "--yes", "--all", "--since", "2016-11-16", in: "j")
    #expect(all.output == "Deleted 0.md\nDeleted 3.md\n", "\(all)")
  }

  @Test func `a span is edited entry by entry, and many only after a question`() async throws {
    let editor = try home.script("editor", "echo \"$1\" >>\"$HOME/opened\"; echo More. >>\"$1\"\n")
    home.set("EDITOR", editor)
    let edited = try await home.diary("edit", "2016-11", in: "j")
    #expect(edited.status == 0, "\(edited)")
    let opened = try home.read("opened").split(separator: "\n").map { $0.suffix(4) }
    #expect(opened == ["0.md", "1.md", "2.md", "3.md"])
    for number in 10..<30 { try home.write("Words.\n", to: "j/2015-01-\(number).md") }
    let many = try await home.diary("edit", "--since", "2015", in: "j")
    #expect(many.status == 1 && many.errors.contains("-n 20"), "\(many)")
    #expect(try home.read("opened").split(separator: "\n").count == 4)
  }
}
