// Localization: every text that a user reads at run time, in their language. The English text is its
// own id, as in gettext; the translations are the PO files in `Translations`, part of the program.

/// A text for the user: its id, which is the English text with `{0}`, `{1}` … in place of the values,
/// and the values. Made of a string literal.
package struct Message: Sendable, Equatable {
  /// The English text; braces of its own are doubled, as in C#'s format strings.
  package private(set) var id: String
  /// What stands in place of `{0}`, `{1}` and so on.
  package private(set) var values: [String]

  /// Two parts of one text that is too long for a line: the values of the second are numbered on.
  package static func + (left: Message, right: Message) -> Message {
    let first = left.values.count
    let id = right.id.replacingPlaceholders { "{\($0 + first)}" }
    return Message(id: left.id + id, values: left.values + right.values)
  }

  /// The text of a translation, or of the id, with the values in it.
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

/// Braces that are not a place for a value, doubled.
private func escaped(_ text: String) -> String {
  guard text.utf8.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
    return text
  }
  return text.reduce(into: "") { $0 += $1 == "{" ? "{{" : $1 == "}" ? "}}" : String($1) }
}

extension String {
  /// The text with something else in place of `{0}`, `{1}` …; doubled braces stay, or become single.
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

/// A text in the user's language; in English where no translation has it.
package func localized(_ message: Message) -> String {
  message.filled(Translation.selected?.forms(of: message.id)?.first ?? message.id)
}

/// A number and what is counted (`3 entries`), in the form that the user's language has for the number.
/// The texts are given without the number, which their ids begin with: `{0} entry`, `{0} entries`.
package func counted(_ count: Int, _ one: Message, _ many: Message) -> String {
  let (one, many) = ("\(count) " + one, "\(count) " + many)
  guard let translation = Translation.selected, let forms = translation.forms(of: one.id) else {
    return (count == 1 ? one : many).filled()
  }
  let form = translation.pluralForm(of: count)
  return many.filled(forms.indices.contains(form) ? forms[form] : forms[0])
}

extension Message {
  fileprivate func filled() -> String { filled(id) }
}
