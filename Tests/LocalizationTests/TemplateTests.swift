import Foundation
import Localization
import TestSupport
import Testing

/// Checks that each translation has the texts of the sources. `.ci/update-texts` adds new texts to
/// it, and writes the template for a new translation to `.build/diary.pot`.
@Suite struct TemplateTests {
  private let folder = Project.root.appending(path: "Sources/Localization/Translations")

  @Test func `the template of the sources is a PO file`() throws {
    let texts = try SourceTexts.all()
    let template = POFile.text(header: POFile.templateHeader, texts) { _ in [] }
    #expect(try POEntry.entries(of: template).count > 500)
    guard ProcessInfo.processInfo.environment["DIARY_RECORD"] != nil else { return }
    try template.write(
      to: Project.root.appending(path: ".build/diary.pot"), atomically: true, encoding: .utf8)
    for language in Translation.available.keys { try updateTranslation(texts, language) }
  }

  @Test(arguments: Translation.available.keys.sorted())
  func `a translation has every text with its values and commands`(_ language: String) throws {
    let file = folder.appending(path: language + ".po")
    let entries = try POEntry.entries(of: String(contentsOf: file, encoding: .utf8)).dropFirst()
    let texts = try Dictionary(
      SourceTexts.all().keys.map { ($0.id, $0) },
      uniquingKeysWith: { $0.pluralID == nil ? $1 : $0 })
    #expect(Set(entries.map(\.id)) == Set(texts.keys), "`.ci/update-texts` adds and removes texts")
    for entry in entries {
      #expect(entry.pluralID == texts[entry.id]?.pluralID, "`.ci/update-texts` mends: \(entry.id)")
      #expect(
        !entry.isFuzzy && entry.forms.allSatisfy { !$0.isEmpty }, "no translation: \(entry.id)")
      for form in entry.forms {
        // The last form is the plural.
        let id = form == entry.forms.last ? entry.pluralID ?? entry.id : entry.id
        #expect(POFile.values(form) == POFile.values(id), "\(id): \(form)")
        #expect(POFile.commands(form) == POFile.commands(id), "\(id): \(form)")
        #expect(form.hasPrefix(" ") == id.hasPrefix(" "), "\(id): \(form)")
        #expect(form.hasSuffix(" ") == id.hasSuffix(" "), "\(id): \(form)")
      }
    }
  }

  @Test func `a text that is not a literal is reported`() {
    #expect(throws: NotALiteral.self) { try SourceTexts("print(localized(text))", "a.swift") }
    #expect(throws: NotALiteral.self) { try SourceTexts("print(counted(2, one, many))", "a.swift") }
  }

  @Test func `texts are parsed as Swift parses them`() throws {
    let source = #"""
      // localized("not this")
      say(localized("a {brace} and \(value("x", [1])) \"quoted\"" + " and \(more)"), counted(f(1, 2), "entry", "entries"))
      say("\(localized("inside")) of it, localized(no)")
      let help = localized(
        """
        One line \
        goes on.

          Indented.
        """)
      """#
    let texts = try SourceTexts(source, "a.swift").found
    #expect(
      texts == [
        SourceText(id: "a {{brace}} and {0} \"quoted\" and {1}"),
        SourceText(id: "{0} entry", pluralID: "{0} entries"), SourceText(id: "inside"),
        SourceText(id: "One line goes on.\n\n  Indented."),
      ])
  }

  /// Rewrites a translation: adds new texts untranslated and removes texts that no source contains.
  private func updateTranslation(_ texts: [SourceText: [String]], _ language: String) throws {
    let file = folder.appending(path: language + ".po")
    let old = try POEntry.entries(of: String(contentsOf: file, encoding: .utf8))
    let forms = Dictionary(old.map { ($0.id, $0.forms) }, uniquingKeysWith: { first, _ in first })
    let text = POFile.text(header: forms[""]?.first ?? "", texts) { forms[$0.id] ?? [] }
    try text.write(to: file, atomically: true, encoding: .utf8)
  }
}

/// A writer of PO files.
enum POFile {
  static let templateHeader = """
    Project-Id-Version: diary
    Content-Type: text/plain; charset=UTF-8
    Content-Transfer-Encoding: 8bit
    Plural-Forms: nplurals=2; plural=(n != 1);

    """

  static func text(
    header: String, _ texts: [SourceText: [String]], _ forms: (SourceText) -> [String]
  ) -> String {
    var lines = ["msgid \"\"", "msgstr \"\""]
    lines += header.split(separator: "\n").map { "\"" + escaped($0 + "\n") + "\"" }
    // A text that is also a singular form is written only with its plural.
    let counted = Set(texts.keys.filter { $0.pluralID != nil }.map(\.id))
    let sorted = texts.filter { $0.key.pluralID != nil || !counted.contains($0.key.id) }
      .sorted { ($0.value[0], $0.key.id) < ($1.value[0], $1.key.id) }
    for (text, files) in sorted {
      lines += ["", "#: " + files.joined(separator: " ")]
      if text.id.contains(/\{\d+\}/) { lines.append("#, csharp-format") }
      lines.append("msgid \"\(escaped(text.id))\"")
      let forms = forms(text)
      if let pluralID = text.pluralID {
        lines.append("msgid_plural \"\(escaped(pluralID))\"")
        for (index, form) in (forms.isEmpty ? [""] : forms).enumerated() {
          lines.append("msgstr[\(index)] \"\(escaped(form))\"")
        }
      } else {
        lines.append("msgstr \"\(escaped(forms.first ?? ""))\"")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  /// The placeholders of the values, sorted by number.
  static func values(_ text: String) -> [String] {
    text.replacing("{{", with: "").matches(of: /\{\d+\}/).map { String($0.output) }.sorted()
  }

  /// The parts that users type literally: commands in backticks, and options.
  static func commands(_ text: String) -> [String] {
    (text.matches(of: /`[^`]*`/).map { String($0.output) }
      + text.matches(of: /--[a-z][a-z-]+/).map { String($0.output) }).sorted()
  }
}
