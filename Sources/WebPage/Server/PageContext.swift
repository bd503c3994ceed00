import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request that the guard has allowed, as passed to a route.
struct PageContext: Sendable {
  let server: PageServer
  let request: Request
  /// The part of the address that matches the route's `*`, still percent-encoded.
  let wildcard: Substring

  var journal: Journal { server.journal }
  var isReadOnly: Bool { server.options.isReadOnly }

  /// The `Accept-Language` field of the browser.
  var acceptLanguage: String? { request.headers[.acceptLanguage] }

  /// The decoded value of a query field; `nil` if it is missing or not valid text.
  func query(_ name: String) -> String? {
    request.uri.query.flatMap { queryValue(name, in: $0) }
  }

  /// The path in the address. Throws `notFound` for paths that the page never serves.
  func path() throws -> EntryPath {
    guard let path = EntryPath(urlPath: wildcard) else { throw PageFailure.notFound }
    return path
  }

  /// The key by which a repeated request is known; `nil` without one.
  func idempotencyKey() throws -> String? {
    let key = HTTPField.Name("idempotency-key").flatMap { request.headers[$0] }
    guard (key?.utf8.count ?? 0) <= 100 else { throw PageFailure.malformed }
    return key
  }

  /// Reads the body, up to `maxBytes`.
  func body(maxBytes: Int) async throws -> [UInt8] {
    let buffer = try await request.body.collect(upTo: maxBytes)
    return Array(buffer.readableBytesView)
  }

  /// Decodes the body as JSON; fails with status 400 if it cannot be decoded.
  func json<Value: Decodable>(_ type: Value.Type) async throws -> Value {
    let bytes = try await body(maxBytes: server.options.limits.text)
    guard let value = decodedJSON(type, bytes) else { throw PageFailure.malformed }
    return value
  }
}
