import HTTPTypes
import HummingbirdCore

/// The security header fields of every response: a browser shows and runs only our content.
enum PageHeaders {
  /// Allows scripts, styles, images, sound and video only from here, no framing by others, and no
  /// scripted HTML.
  static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:",
    "connect-src 'self'", "manifest-src 'self'", "media-src 'self'", "form-action 'none'",
    "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].joined(separator: "; ")

  private static let defaultFields: [(name: HTTPField.Name, value: String)] = [
    ("content-security-policy", policy), ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"),
    ("cross-origin-resource-policy", "same-origin"), ("cross-origin-opener-policy", "same-origin"),
    (
      "permissions-policy",
      "geolocation=(self), camera=(), microphone=(), payment=(), usb=(), browsing-topics=()"
    ), ("cache-control", "no-store"),
  ].compactMap { name, value in HTTPField.Name(name).map { ($0, value) } }

  /// Sets the fields that the response lacks: files of the journal have a stricter policy.
  static func set(on response: inout Response) {
    for (name, value) in defaultFields where response.headers[name] == nil {
      response.headers[name] = value
    }
  }
}
