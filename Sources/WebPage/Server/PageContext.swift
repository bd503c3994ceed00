import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import NIOCore

/// One request that the guard let through, as a route sees it.
struct PageContext: Sendable {
  let server: PageServer
  let request: Request
  /// What stood in place of the route's `*`, as it came: percent-encoded.
  let wildcard: Substring

  var journal: Journal { server.journal }
  var isReadOnly: Bool { server.options.isReadOnly }

  /// The reader's languages, as the browser names them.
  var acceptLanguage: String? { request.headers[.acceptLanguage] }

  /// The value of a field of the query, decoded; `nil` where there is none, or it is no text.
  func query(_ name: String) -> String? {
    request.uri.query.flatMap { queryValue(name, in: $0) }
  }

  /// The file of the journal that the address names. Fails as if there were none for all that no file of
  /// the page's can have.
  func path() throws -> EntryPath {
    guard let path = EntryPath(urlPath: wildcard) else { throw PageFailure.notFound }
    return path
  }

  /// The body, at most so many bytes of it.
  func body(maxBytes: Int) async throws -> [UInt8] {
    let buffer = try await request.body.collect(upTo: maxBytes)
    return Array(buffer.readableBytesView)
  }

  /// The body as JSON; fails with 400 where it is another value.
  func json<Value: Decodable>(_ type: Value.Type) async throws -> Value {
    let bytes = try await body(maxBytes: server.options.limits.text)
    guard let value = decodedJSON(type, bytes) else { throw PageFailure.malformed }
    return value
  }
}
