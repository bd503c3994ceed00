import Testing

@testable import Localization

@Suite struct MessageTests {
  private let korean = """
    msgid ""
    msgstr ""
    "Language: ko\\n"
    "Plural-Forms: nplurals=1; plural=0;\\n"

    # A remark.
    #, csharp-format
    msgid "cannot read {0}: {1}"
    msgstr "{1}: {0}을(를) 읽을 수 "
    "없습니다"

    msgid "{0} entry"
    msgid_plural "{0} entries"
    msgstr[0] "글 {0}편"

    #, fuzzy
    msgid "guessed"
    msgstr "짐작"

    msgid "not yet"
    msgstr ""
    """

  @Test func `a message's id is its text with numbered placeholders`() {
    let (path, count) = ("a {b}.md", 3)
    let message: Message = "cannot read \(path): {\(count)}" + " of \(count)"
    #expect(message.id == "cannot read {0}: {{{1}}} of {2}")
    #expect(message.values == ["a {b}.md", "3", "3"])
    #expect(message.filled(message.id) == "cannot read a {b}.md: {3} of 3")
  }

  @Test func `a translation may reorder the values`() throws {
    let translation = try Translation(po: korean)
    let message: Message = "cannot read \("a.md"): \("{0} %s \\n")"
    let forms = try #require(translation.forms(of: message.id))
    #expect(message.filled(forms[0]) == "{0} %s \\n: a.md을(를) 읽을 수 없습니다")
    #expect(translation.forms(of: "{0} entry") == ["글 {0}편"])
    #expect(translation.pluralForm(of: 1) == 0 && translation.pluralForm(of: 7) == 0)
  }

  @Test func `texts without a translation, or with a fuzzy one, stay English`() throws {
    let translation = try Translation(po: korean)
    #expect(translation.forms(of: "guessed") == nil)
    #expect(translation.forms(of: "not yet") == nil)
    #expect(translation.forms(of: "unknown") == nil)
    #expect(translation.ids == ["cannot read {0}: {1}", "{0} entry"])
  }

  @Test func `English plurals need no translation`() {
    #expect(counted(1, "entry", "entries") == "1 entry")
    #expect(counted(0, "entry", "entries") == "0 entries")
    #expect(counted(1_234_567, "entry", "entries") == "1,234,567 entries")
    #expect([999, 1_000, -12_345].map(grouped) == ["999", "1,000", "-12,345"])
    #expect(counted(2, "of \(9) entry", "of \(9) entries") == "2 of 9 entries")
  }

  @Test(
    arguments: [
      ([:], nil), (["LANG": "C"], nil), (["LANG": "C.UTF-8", "LANGUAGE": "ko"], nil),
      (["LANG": "ko_KR.UTF-8"], "ko"), (["LANG": "ko"], "ko"),
      (["LC_ALL": "", "LANG": "ko_KR"], "ko"),
      (["LC_ALL": "en_US.UTF-8", "LANG": "ko_KR.UTF-8"], nil),
      (["LC_MESSAGES": "ko_KR.UTF-8", "LANG": "en_US.UTF-8"], "ko"),
      (["LC_TIME": "ko_KR.UTF-8", "LANG": "en_US.UTF-8"], nil),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "xx:ko:en"], "ko"),
      (["LANG": "ko_KR.UTF-8", "LANGUAGE": "en:ko"], nil), (["LANG": "xx_XX.UTF-8"], nil),
    ] as [([String: String], String?)])
  func `the language follows gettext's environment variables`(
    _ environment: [String: String], _ language: String?
  ) {
    #expect(Translation.language(of: environment) == language)
  }

  @Test(arguments: [
    ("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\n\nmsgid \"a", 4),
    ("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=1; plural=0;\\n\"\nmsgwhat \"a\"", 3),
    ("msgid \"\"\nmsgstr \"Plural-Forms: nplurals=3; plural=n%10;\\n\"", 1),
  ])
  func `an invalid PO file reports the line`(_ file: String, _ line: Int) {
    let failure = #expect(throws: Translation.Failure.self) { try Translation(po: file) }
    #expect(failure?.line == line)
  }

  @Test(arguments: Translation.available.keys.sorted())
  func `the built-in translations are valid`(_ language: String) throws {
    let file = try #require(Translation.available[language])
    #expect(try Translation(po: String(decoding: file(), as: UTF8.self)).ids.count > 500)
  }
}
