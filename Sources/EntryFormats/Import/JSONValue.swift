import DiaryCore
import Localization

/// A JSON value as it was written: numbers keep their digits, objects the order of their members.
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

  /// The type of the value, for messages.
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
  /// The key with its escapes resolved.
  package let key: String
  package let value: JSONValue

  package init(key: String, value: JSONValue) {
    self.key = key
    self.value = value
  }
}

extension JSONValue {
  /// Returns a member's value, or `nil` if it is missing or `null`.
  subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    let value = members.first { $0.key == key }?.value
    return value == .null ? nil : value
  }

  /// The string, which may be empty.
  var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The string, if it has characters other than white space.
  var text: String? {
    guard case .string(let text) = self, !trimmed(text).isEmpty else { return nil }
    return text
  }

  /// The number, if it is finite.
  var double: Double? {
    guard case .number(let digits) = self, let value = Double(digits), value.isFinite else {
      return nil
    }
    return value
  }

  /// The items of a list. Other values have none.
  var items: [JSONValue] { if case .array(let items) = self { items } else { [] } }

  /// True only for `true`.
  var isTrue: Bool { self == .bool(true) }

  /// Adds a value as header fields. The keys of nested objects are joined by `_`, and texts and
  /// numbers are unchanged. `null`, `false` and empty values are omitted, and a list with objects
  /// is one text of JSON.
  func appendFields(_ key: String, to fields: inout [ImportedField]) {
    switch self {
    case .null, .bool(false): break
    case .bool(true): fields.append(ImportedField(headerKey(key), .text("true")))
    case .number(let digits): fields.append(ImportedField(headerKey(key), .text(digits)))
    case .string(let text):
      if !trimmed(text).isEmpty { fields.append(ImportedField(headerKey(key), .text(text))) }
    case .object(let members):
      for member in members { member.value.appendFields(key + "_" + member.key, to: &fields) }
    case .array(let items):
      let texts = items.compactMap { item -> String? in
        switch item {
        case .string(let text): text
        case .number(let digits): digits
        default: nil
        }
      }
      if items.isEmpty { break }
      fields.append(
        ImportedField(headerKey(key), texts.count == items.count ? .list(texts) : .text(json)))
    }
  }
}

/// Returns a valid header key: letters, digits, `_`, `-` and `.`, with a letter or `_` first.
func headerKey(_ key: String) -> String {
  var name = ""
  for character in key {
    let isSign = character == "_" || character == "-" || character == "."
    name.append(character.isLetter || character.isNumber || isSign ? character : "_")
  }
  if name.first.map({ !$0.isLetter && $0 != "_" }) ?? true { name = "_" + name }
  return String(name.prefix(60))
}
