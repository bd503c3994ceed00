import Testing

@testable import diary

/// A bash command line split into words as bash does, and words quoted for insertion.
@Suite struct ShellLineTests {
  static let breaks = " \t\n\"'><=;|&(:"

  @Test(arguments: [
    ("diary show wal", ["diary", "show", "wal"]), ("diary show ", ["diary", "show", ""]),
    ("diary show 'a b", ["diary", "show", "a b"]), ("diary show a\\ b", ["diary", "show", "a b"]),
    ("diary show \"a \\\" b\" c", ["diary", "show", "a \" b", "c"]),
    ("diary  show ''", ["diary", "show", ""]), ("diary show '' ", ["diary", "show", "", ""]),
    ("", [""]), ("diary show a\\", ["diary", "show", "a"]),
  ])
  func `a line is split into words`(_ line: String, _ words: [String]) {
    #expect(ShellLine(line, breaks: Self.breaks).words == words)
  }

  @Test(arguments: [
    ("diary show L", "Lunch: a 'b' $c", "Lunch\\:\\ a\\ \\'b\\'\\ \\$c"),
    ("diary show 'L", "Lunch: a 'b'", "Lunch: a '\\''b'\\''"),
    ("diary show \"L", "L \"b\" $(c) \\ `d`", "L \\\"b\\\" \\$(c) \\\\ \\`d\\`"),
    ("diary list --tag=f", "--tag=family", "family"), ("diary show Lunch:s", "Lunch:soup", "soup"),
    ("diary show Lunch\\:\\ s", "Lunch: soup", "Lunch\\:\\ soup"),
    ("diary show 강", "강가", "강가"), ("diary show ~", "~x", "\\~x"),
    ("diary show a\\ \"b", "a b c", "b c"),
  ])
  func `an inserted word is quoted to match the open quote`(
    _ line: String, _ value: String, _ inserted: String
  ) {
    #expect(ShellLine(line, breaks: Self.breaks).insertionText(for: value) == inserted)
  }
}
