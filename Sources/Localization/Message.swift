// Localization: every text that a user reads at run time, in their language. As in gettext, the
// English text is its own id. The PO files in `Translations` are compiled into the program.

/// A text for the user, created from a string literal. Its id is the English text, with `{0}`,
/// `{1}` … in place of the values.
package struct Message: Sendable, Equatable {
  /// The English text. Literal braces are doubled, as in C#'s format strings.
  package private(set) var id: String
  /// The values for `{0}`, `{1}` and so on.
  package private(set) var values: [String]

  /// Joins two parts of a text that is too long for a line; the second part is renumbered.
  package static func + (left: Message, right: Message) -> Message {
    let first = left.values.count
    let id = right.id.replacingPlaceholders { "{\($0 + first)}" }
    return Message(id: left.id + id, values: left.values + right.values)
  }

  /// Returns `text`, a translation or the id, with the values inserted.
  func filled(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
      return text
    }
    return text.replacingPlaceholders(unescaping: true) {
      values.indices.contains($0) ? values[$0] : ""
    }
  }
}

extension Message: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var message = Message(id: "", values: [])

    package init(literalCapacity: Int, interpolationCount: Int) {
      message.id.reserveCapacity(literalCapacity + 3 * interpolationCount)
    }

    package mutating func appendLiteral(_ literal: String) { message.id += escaped(literal) }

    package mutating func appendInterpolation<Value>(_ value: Value) {
      message.id += "{\(message.values.count)}"
      message.values.append("\(value)")
    }
  }

  package init(stringLiteral text: String) { self.init(id: escaped(text), values: []) }

  package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.message }
}

/// The text with its literal braces doubled.
private func escaped(_ text: String) -> String {
  guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
    return text
  }
  return text.reduce(into: "") { $0 += $1 == "{" ? "{{" : $1 == "}" ? "}}" : String($1) }
}

extension String {
  /// The text with `{0}`, `{1}` … replaced. Doubled braces stay, or become single if `unescaping`.
  fileprivate func replacingPlaceholders(
    unescaping: Bool = false, _ replacement: (Int) -> String
  ) -> String {
    var result = ""
    var remaining = self[...]
    while let brace = remaining.firstIndex(where: { $0 == "{" || $0 == "}" }) {
      result += remaining[..<brace]
      remaining = remaining[brace...]
      if remaining.hasPrefix("{{") || remaining.hasPrefix("}}") {
        result += unescaping ? remaining.prefix(1) : remaining.prefix(2)
        remaining = remaining.dropFirst(2)
      } else if let end = remaining.firstIndex(of: "}"),
        let number = Int(remaining.dropFirst()[..<end])
      {
        result += replacement(number)
        remaining = remaining[remaining.index(after: end)...]
      } else {
        result += remaining.prefix(1)
        remaining = remaining.dropFirst()
      }
    }
    return result + remaining
  }
}

/// The text in the user's language, or in English if it has no translation.
package func localized(_ message: Message) -> String {
  message.filled(Translation.selected?.forms(of: message.id)?.first ?? message.id)
}

/// Runs `work` with English texts, for what is stored.
package func inEnglish<Value>(_ work: () throws -> Value) rethrows -> Value {
  try Translation.$taskTranslation.withValue(.some(nil), operation: work)
}

/// A number, with its digits in groups, and the counted noun (`3 entries`), in the plural form of
/// the user's language. The texts are given without the number that their ids begin with:
/// `{0} entry`, `{0} entries`.
package func counted(_ count: Int, _ one: Message, _ many: Message) -> String {
  let (one, many) = ("\(grouped(count)) " + one, "\(grouped(count)) " + many)
  guard let translation = Translation.selected, let forms = translation.forms(of: one.id) else {
    return (count == 1 ? one : many).filled()
  }
  let form = translation.pluralForm(of: count)
  return many.filled(forms.indices.contains(form) ? forms[form] : forms[0])
}

/// A number with a comma between groups of three digits, as in both languages of the messages:
/// `800,896`.
package func grouped(_ number: Int) -> String {
  let digits = Array(String(number.magnitude))
  let groups = digits.indices.map { index in
    (index > 0 && (digits.count - index).isMultiple(of: 3) ? "," : "") + String(digits[index])
  }
  return (number < 0 ? "-" : "") + groups.joined()
}

extension Message {
  fileprivate func filled() -> String { filled(id) }
}
