import TestSupport
import Testing
import Yams

@testable import DiaryCore

/// Comparison with a strict YAML parser: if it can read a header, both read the same values, except
/// unquoted text and values for which there is a lint.
struct FrontMatterYAMLTests {
  @Test(arguments: 1...3)
  func `a plain YAML header is read as a strict parser reads it`(part: Int) {
    var dice = SeededGenerator(part: part)
    var compared = 0
    for round in 0..<4000 {
      // Yams removes a byte order mark at the start of a text.
      let bytes = String(decoding: dice.entry(), as: UTF8.self).filter { $0 != "\u{FEFF}" }
      let text = EntryText(Array(bytes.utf8))
      guard text.headerKind == .yaml, let pairs = strictHeader(text.header) else { continue }
      let note: Comment = "\(dice), round \(round): \(text.header.debugDescription)"
      let linted = Set(text.lints.compactMap(\.line))
      let fields = text.fields
      guard !fields.contains(where: { linted.contains($0.line) }) else { continue }
      #expect(fields.map(\.key) == pairs.map(\.key), note)
      for (index, pair) in pairs.enumerated() where index < fields.count {
        guard let expected = read(pair.value) else { continue }
        compared += 1
        let value = text.reading(at: index).value
        #expect(folded(value) == folded(expected.isEmpty ? nil : expected), note)
      }
    }
    #expect(compared > 250, "\(dice): only \(compared)")
  }

  @Test(arguments: [
    "plain", "Day 3 the lake", "\"quoted\"", "'it''s'", "[a, b]", "[\"a, b\", c]", "12:30", "no",
    "1.10", "2026-11-21", "\"a\\tb\\u00e9\"", "{a: b, c: '1'}", "\n  - a\n  - b", "\n- 'x'\n- y z",
    "|\n  a\n  b", ">-\n  a\n  b", "|+\n  a\n\n", "\"two\n  lines\"", "two\n  lines", "~", "", "[]",
    "\n  a: b\n  c: d", "\"x\" # comment", "[a] # comment", "# comment", "# comment\n  - a",
    "[it's, 5\" wide]", "[a , b ]", "[ a,b,]", "http://x/y#z", "C#", "[C#, F#]", "-5°C", "[-5, -x]",
    "\n  - -5\n  - it's", "\"\"", "''", "\n\n  late", "null", "[null, ~, \"null\"]", "\"\\\"\"",
  ])
  func `a value is read as YAML`(_ value: String) throws {
    let text = EntryText(Array("---\nfirst: 1\nkey: \(value)\nlast: 2\n---\n".utf8))
    let node = try #require(try Yams.compose(yaml: text.header)?["key"])
    let expected = try #require(read(node))
    #expect(folded(text.value("key")) == folded(expected.isEmpty ? nil : expected))
    #expect(text.value("last") == .text("2"))
    #expect(text.lints.isEmpty)
  }

  /// The field value of a parsed node, or `nil` if it is nested too deeply for a field.
  private func read(_ node: Node) -> FieldValue? {
    switch node {
    case .scalar(let scalar): return .text(word(scalar) ?? "")
    case .sequence(let items):
      guard items.allSatisfy({ $0.scalar != nil }) else { return nil }
      return .list(items.compactMap { $0.scalar.flatMap(word) })
    case .mapping(let pairs):
      guard pairs.allSatisfy({ $0.key.scalar != nil && $0.value.scalar != nil }) else { return nil }
      return .mapping(pairs.map { ($0.key.string ?? "", $0.value.scalar.flatMap(word) ?? "") })
    case .alias: return nil
    }
  }

  private func word(_ scalar: Node.Scalar) -> String? {
    scalar.style == .plain && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
      ? nil : scalar.string
  }

  /// The value with white space folded, because YAML keeps blank lines where Diary joins lines.
  private func folded(_ value: FieldValue?) -> FieldValue? {
    guard case .text(let text) = value else { return value }
    return .text(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }
}
