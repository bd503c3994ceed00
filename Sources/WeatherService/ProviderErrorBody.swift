import Foundation

/// An error message in a response body, with or without an answer: `{"error":true,"reason":…}` or
/// `{"cod":"404","message":…}`.
struct ProviderErrorBody: Decodable {
  private(set) var message: String?
  private(set) var isError = false
  /// OpenWeather's `cod`, a number or a string.
  private(set) var status: Int?

  private enum Key: String, CodingKey { case error, reason, cod, message }

  /// Creates an empty value if the body is not such JSON.
  init(_ body: Data) {
    guard let decoded = try? JSONDecoder().decode(ProviderErrorBody.self, from: body) else {
      return
    }
    self = decoded
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    message =
      (try? fields.decode(String.self, forKey: .reason))
      ?? (try? fields.decode(String.self, forKey: .message))
    isError = (try? fields.decode(Bool.self, forKey: .error)) ?? false
    status =
      (try? fields.decode(Int.self, forKey: .cod))
      ?? (try? fields.decode(String.self, forKey: .cod)).flatMap { Int($0) }
  }
}
