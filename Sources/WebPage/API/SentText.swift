import Foundation

/// What a page sends to be saved.
struct SubmittedText: Decodable {
  let title: String
  let body: String
  /// Whether the page is left with it.
  let leaving: Bool?
}

/// A value that was sent as JSON; `nil` where it is another one.
func decodedJSON<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) -> Value? {
  try? JSONDecoder().decode(type, from: Data(bytes))
}
