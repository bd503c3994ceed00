import Foundation
import HTTPTypes
import HummingbirdCore
import LoopbackServer

extension FakeProvider {
  /// A request that the fake provider received.
  public struct ReceivedRequest: Sendable, Equatable {
    /// The path, such as `/v1/forecast`.
    public let path: String
    /// The query as received, still percent-encoded.
    public let rawQuery: String
    /// The decoded query. If a name occurs twice, the first value is used.
    public let query: [String: String]
    /// The headers, with names in lower case.
    public let headers: [String: String]

    init(_ request: Request) {
      path = request.uri.path
      rawQuery = request.query
      let items = URLComponents(string: request.head.path ?? "")?.queryItems ?? []
      query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
      headers = Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) {
        first, _ in first
      }
    }

    func number(_ name: String) -> Double? { query[name].flatMap { Double($0) } }
  }
}
