import DiaryCore
import Localization

/// A JSON value as it was written: numbers keep their digits, objects their order.
package enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// The number's own text, such as `1.10`.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])

  /// The value as one line of JSON.
  package var json: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): Self.quoted(text)
    case .array(let values): "[" + values.map(\.json).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { Self.quoted($0.key) + ":" + $0.value.json }.joined(separator: ",") + "}"
    }
  }

  /// What it is, for a sentence.
  var kind: String {
    switch self {
    case .null: "null"
    case .bool: localized("true or false")
    case .number: localized("a number")
    case .string: localized("a text")
    case .array: localized("a list")
    case .object: localized("an object")
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\0"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
        quoted += "\\u" + hexadecimal(scalar.value, width: 4).lowercased()
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// A key of a JSON object and its value.
package struct JSONMember: Sendable, Equatable {
  /// With its escapes resolved.
  package let key: String
  /// What the key stands for.
  package let value: JSONValue

  package init(key: String, value: JSONValue) {
    self.key = key
    self.value = value
  }
}
