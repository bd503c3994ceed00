import Foundation
import TestSupport

/// A text that the sources pass to `localized` or `counted`, as it appears in the template.
struct SourceText: Hashable {
  var id: String
  var pluralID: String?
}

/// The error that a text cannot be translated because it is not a literal.
struct NotALiteral: Error, CustomStringConvertible {
  let description: String
}

/// Extracts texts from Swift sources. It parses only what calls of `localized` and `counted` need.
struct SourceTexts {
  private let text: [Character]
  private let file: String
  private(set) var found: [SourceText] = []

  /// Returns all texts in `Sources` with the files that contain them.
  static func all() throws -> [SourceText: [String]] {
    var files: [SourceText: [String]] = [:]
    let root = Project.root.appending(path: "Sources").path
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    for name in paths.sorted() where name.hasSuffix(".swift") && !name.hasPrefix("Localization/") {
      let path = "Sources/" + name
      let source = try String(contentsOfFile: root + "/" + name, encoding: .utf8)
      guard source.contains("import Localization\n") else { continue }
      let texts = try SourceTexts(source, path)
      for text in texts.found where files[text]?.last != path {
        files[text, default: []].append(path)
      }
    }
    return files
  }

  init(_ source: String, _ file: String) throws {
    text = Array(source)
    self.file = file
    try read(0..<text.count)
  }

  private mutating func read(_ range: Range<Int>) throws {
    var at = range.lowerBound
    while at < range.upperBound {
      if starts("//", at) {
        while at < range.upperBound, text[at] != "\n" { at += 1 }
      } else if text[at] == "\"" {
        let literal = readLiteral(&at)
        for value in literal.values { try read(value) }
      } else if let call = ["localized(", "counted("].first(where: { starts($0, at) }), isCall(at) {
        at += call.count
        try readCall(call, &at)
      } else {
        at += 1
      }
    }
  }

  /// Whether the name at this position is a call, not a declaration.
  private func isCall(_ at: Int) -> Bool {
    guard at > 0 else { return true }
    let before = text[at - 1]
    return !before.isLetter && before != "_" && before != "."
      && !String(text[max(0, at - 5)..<at]).hasPrefix("func ")
  }

  private mutating func readCall(_ call: String, _ at: inout Int) throws {
    if call == "localized(" {
      found.append(SourceText(id: try readMessage(&at, numbered: 0)))
      return
    }
    // Skip the number, which may be any expression; the two forms follow.
    let start = at
    var depth = 0
    while at < text.count, depth > 0 || text[at] != "," {
      if text[at] == "\"" {
        _ = readLiteral(&at)
      } else {
        if text[at] == "(" || text[at] == "[" { depth += 1 }
        if text[at] == ")" || text[at] == "]" { depth -= 1 }
        at += 1
      }
      if depth < 0 { throw literalError(start, "counted needs a number and two texts") }
    }
    at += 1
    let one = try readMessage(&at, numbered: 1)
    skipBlank(&at)
    guard at < text.count, text[at] == "," else {
      throw literalError(at, "counted needs two texts")
    }
    at += 1
    let many = try readMessage(&at, numbered: 1)
    found.append(SourceText(id: "{0} " + one, pluralID: "{0} " + many))
  }

  /// Reads one literal, or several joined by `+`, as an id. The first value is numbered `numbered`.
  private mutating func readMessage(_ at: inout Int, numbered first: Int) throws -> String {
    var id = ""
    var number = first
    repeat {
      skipBlank(&at)
      guard at < text.count, text[at] == "\"" else {
        throw literalError(at, "a text must be a literal")
      }
      let literal = readLiteral(&at)
      for part in literal.parts {
        switch part {
        case .text(let words):
          id += words.replacing("{", with: "{{").replacing("}", with: "}}")
        case .value:
          id += "{\(number)}"
          number += 1
        }
      }
      for value in literal.values { try read(value) }
      var next = at
      skipBlank(&next)
      guard next < text.count, text[next] == "+" else { break }
      at = next + 1
    } while true
    return id
  }

  private enum Part { case text(String), value }

  private struct Literal {
    var parts: [Part] = []
    var values: [Range<Int>] = []
  }

  /// Reads the literal that begins at a quote and moves `at` behind it.
  private func readLiteral(_ at: inout Int) -> Literal {
    var literal = Literal()
    var words = ""
    let isLong = starts("\"\"\"", at)
    at += isLong ? 3 : 1
    while at < text.count, isLong ? !starts("\"\"\"", at) : text[at] != "\"" {
      guard text[at] == "\\" else {
        words.append(text[at])
        at += 1
        continue
      }
      switch text[at + 1] {
      case "(":
        let start = at + 2
        at = start
        var depth = 1
        while depth > 0 {
          if text[at] == "\"" {
            _ = readLiteral(&at)
          } else {
            if text[at] == "(" { depth += 1 }
            if text[at] == ")" { depth -= 1 }
            at += 1
          }
        }
        if !words.isEmpty { literal.parts.append(.text(words)) }
        words = ""
        literal.parts.append(.value)
        literal.values.append(start..<at - 1)
      case "n":
        words.append("\n")
        at += 2
      case "\n":
        // A continued line of a multi-line literal: its line break is not part of the text.
        words.append("\u{0}")
        at += 2
      default:
        words.append(text[at + 1])
        at += 2
      }
    }
    at += isLong ? 3 : 1
    if !words.isEmpty { literal.parts.append(.text(words)) }
    return isLong ? SourceTexts.unindented(literal) : literal
  }

  /// A multi-line literal without its outer line breaks and indentation. None of ours has values.
  private static func unindented(_ literal: Literal) -> Literal {
    guard case .text(let words)? = literal.parts.first, literal.parts.count == 1 else {
      return literal
    }
    var lines = words.dropFirst().replacing("\u{0}", with: "\u{0}\n").split(
      separator: "\n", omittingEmptySubsequences: false)
    let indent = lines.removeLast().count
    let text = lines.map { $0.dropFirst(min(indent, $0.prefix { $0 == " " }.count)) }
      .joined(separator: "\n").replacing("\u{0}\n", with: "")
    return Literal(parts: [.text(text)])
  }

  private func starts(_ word: String, _ at: Int) -> Bool {
    text[at...].starts(with: word)
  }

  private func skipBlank(_ at: inout Int) {
    while at < text.count, text[at].isWhitespace { at += 1 }
  }

  private func literalError(_ at: Int, _ reason: String) -> NotALiteral {
    let line = text[..<min(at, text.count)].reduce(1) { $1 == "\n" ? $0 + 1 : $0 }
    return NotALiteral(description: "\(file):\(line): \(reason)")
  }
}
