import EntryFormats

/// HTML in the making. A string literal is markup; whatever stands in it between `\(` and `)` is text
/// and is escaped, or is markup itself. Only literals of this program are therefore ever markup.
struct Markup: Sendable, ExpressibleByStringInterpolation {
  private(set) var html: String

  init(stringLiteral literal: String) { html = literal }

  init(stringInterpolation: StringInterpolation) { html = stringInterpolation.html }

  /// HTML that another renderer has made of a writer's words, which lets no word of theirs be markup.
  init(rendered html: String) { self.html = html }

  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var html = ""

    init(literalCapacity: Int, interpolationCount: Int) {
      html.reserveCapacity(literalCapacity + 32 * interpolationCount)
    }

    mutating func appendLiteral(_ literal: String) { html += literal }

    /// Text between tags or in a quoted attribute; what would steer a reader unseen is shown.
    mutating func appendInterpolation(_ text: String) { html += htmlText(text) }

    /// Text that is to come back as it was, in a field for writing.
    mutating func appendInterpolation(exactly text: String) { html += escapedHTML(text) }

    mutating func appendInterpolation(_ number: Int) { html += "\(number)" }

    mutating func appendInterpolation(_ markup: Markup) { html += markup.html }

    mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { html += part.html } }

    /// An attribute with a blank before it, where there is a value.
    mutating func appendInterpolation(attribute name: StaticString, _ value: String?) {
      if let value { html += " \(name)=\"\(htmlText(value))\"" }
    }

    /// An attribute without a value, such as `hidden`.
    mutating func appendInterpolation(flag name: StaticString, if isSet: Bool) {
      if isSet { html += " \(name)" }
    }
  }
}

extension Markup {
  static func + (left: Markup, right: Markup) -> Markup { "\(left)\(right)" }
}
