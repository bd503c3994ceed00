import DiaryCore
import Foundation

/// A key, in a wrapping that a careless interpolation cannot open.
struct Secret: Sendable {
  /// For the query of a request, nowhere else.
  let value: String

  /// `nil` when nothing but blanks was given.
  init?(_ text: String?) {
    let text = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !text.isEmpty else { return nil }
    value = text
  }

  /// The text without the key, as it is or as a URL spells it: providers quote what they were sent.
  func redacted(from text: String) -> String {
    [value, percentEncoded(value)].reduce(text) { text, form in
      text.replacingOccurrences(of: form, with: "…", options: .caseInsensitive)
    }
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  var description: String { "…" }
  var debugDescription: String { "…" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
