import FlyingFox
import Foundation

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

    init(_ request: HTTPRequest) {
      path = request.path
      rawQuery = request.target.query()
      query = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
      headers = Dictionary(
        request.headers.map { ($0.key.rawValue.lowercased(), $0.value) }
      ) { first, _ in first }
    }

    func number(_ name: String) -> Double? { query[name].flatMap { Double($0) } }
  }
}
