import FlyingFox
import Foundation

extension StandIn {
  /// One request as the stand-in received it.
  public struct Asked: Sendable, Equatable {
    /// The path, such as `/v1/forecast`.
    public let path: String
    /// The query as it was sent, still percent-encoded.
    public let rawQuery: String
    /// The query, decoded; of a name given twice the first.
    public let query: [String: String]
    /// The headers, names in lower case.
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
