import EntryFormats

/// HTML under construction. String literals are markup; interpolated text is escaped, and
/// interpolated markup is inserted. So only literals of this program can be markup.
struct Markup: Sendable, ExpressibleByStringInterpolation {
  private(set) var html: String

  init(stringLiteral literal: String) { html = literal }

  init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

  /// Wraps HTML from another renderer, which has escaped the user's text.
  init(rendered html: String) { self.html = html }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity + 32 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { html += literal }

    /// Appends text between tags or in a quoted attribute; control characters are made visible.
    mutating func appendInterpolation(_ text: String) { html += htmlText(text) }

    /// Appends text that must be preserved exactly, in a field for editing.
    mutating func appendInterpolation(exactly text: String) { html += escapedHTML(text) }

    mutating func appendInterpolation(_ number: Int) { html += "\(number)" }

    mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

    mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { html += part.html } }

    /// Appends an attribute with a leading blank, if there is a value.
    mutating func appendInterpolation(attribute name: StaticString, _ value: String?) {
      if let value { html += " \(name)=\"\(htmlText(value))\"" }
    }

    /// Appends an attribute without a value, such as `hidden`.
    mutating func appendInterpolation(flag name: StaticString, if isSet: Bool) {
      if isSet { html += " \(name)" }
    }
  }
}

extension Markup {
  static func + (left: Markup, right: Markup) -> Markup { "\(left)\(right)" }
}
