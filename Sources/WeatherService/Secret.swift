import DiaryCore
import Foundation

/// A key that is not exposed by accidental string interpolation.
struct Secret: Sendable {
  /// The key itself, for use in a request's query only.
  let value: String

  /// Fails if the text is empty or only blanks.
  init?(_ text: String?) {
    let text = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
    guard !text.isEmpty else { return nil }
    value = text
  }

  /// The text without the key in plain or URL-encoded form, because providers quote requests.
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
