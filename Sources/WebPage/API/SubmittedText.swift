import Foundation

/// The text that a page sends to be saved.
struct SubmittedText: Decodable {
  let title: String
  let body: String
  /// True if the user leaves the entry with this save.
  let leaving: Bool?
}

/// A value decoded from JSON; `nil` if it cannot be decoded.
func decodedJSON<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
  try? JSONDecoder().decode(type, from: Data(bytes))
}
