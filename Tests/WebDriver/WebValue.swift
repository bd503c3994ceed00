/// A JSON value passed to a browser's script or returned by one.
public enum WebValue: Codable, Sendable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([WebValue])
  case object([String: WebValue])

  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([WebValue].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: WebValue].self))
    }
  }

  /// Encodes the value as JSON, with integers written without a decimal point.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    // A browser requires integers for pixels and milliseconds.
    case .number(let value):
      if let whole = Int(exactly: value) {
        try container.encode(whole)
      } else {
        try container.encode(value)
      }
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// The value of a key, or `null` if there is none.
  public subscript(key: String) -> WebValue {
    if case .object(let values) = self { values[key] ?? .null } else { .null }
  }

  /// The text, or `nil` for another type.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The number, or `nil` for another type.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The elements, or an empty list for another type.
  public var list: [WebValue] { if case .list(let list) = self { list } else { [] } }

  /// False for the values that are falsy in JavaScript: `null`, `false`, 0 and the empty text.
  public var isTrue: Bool {
    switch self {
    case .null, .bool(false), .number(0), .text(""): false
    default: true
    }
  }
}

extension WebValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// An integer.
  public init(integerLiteral value: Int) { self = .number(Double(value)) }
  /// A number.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// A list.
  public init(arrayLiteral elements: WebValue...) { self = .list(elements) }
  /// An object.
  public init(dictionaryLiteral elements: (String, WebValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}
