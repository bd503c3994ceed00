import Foundation

/// The text that a page sends to be saved.
struct SubmittedText: Decodable {
  let title: String
  let body: String
  /// True if the user leaves the entry with this save.
  let leaving: Bool?
  /// True if files are added next: a new entry may have no text then.
  let hasFiles: Bool?
  /// The template whose text a new entry began with.
  let template: String?
  /// The writer's time zone (IANA), for the date of a new entry.
  let zone: String?
  /// Identifies the page, and counts what it has sent.
  let page: String?
  let number: Int?

  /// True if the same page has sent another text after this one.
  func isEarlier(than other: SubmittedText?) -> Bool {
    guard let other, page != nil, page == other.page else { return false }
    return (number ?? 0) < (other.number ?? 0)
  }
}

/// A value decoded from JSON; `nil` if it cannot be decoded.
func decodedJSON<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
  try? JSONDecoder().decode(type, from: Data(bytes))
}
