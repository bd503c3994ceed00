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
  let rest: Substring

  var journal: Journal { server.journal }
  var isReadOnly: Bool { server.options.isReadOnly }

  /// The reader's languages, as the browser names them.
  var acceptLanguage: String? { request.headers[.acceptLanguage] }

  /// The value of a field of the query, decoded; `nil` where there is none, or it is no text.
  func query(_ name: String) -> String? {
    let fields = (request.uri.query ?? "").split(separator: "&")
    guard let field = fields.first(where: { $0.hasPrefix(name + "=") }) else { return nil }
    let value = field.dropFirst(name.utf8.count + 1).replacing("+", with: " ")
    return percentDecoded(value).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The file of the journal that the address names. Fails as if there were none for all that no file of
  /// the page's can have: names that begin with a dot, NUL, an encoded `/`, more than 4 kB.
  func path() throws -> EntryPath {
    guard let path = PageContext.path(rest) else { throw PageFailure.notFound }
    return path
  }

  static func path(_ encoded: Substring) -> EntryPath? {
    guard encoded.utf8.count <= 4_096, !encoded.lowercased().contains("%2f"),
      let bytes = percentDecoded(encoded), let path = EntryPath(bytes: bytes), !path.isHidden
    else { return nil }
    return path
  }

  /// The body, at most so many bytes of it.
  func body(most: Int) async throws -> [UInt8] {
    let buffer = try await request.body.collect(upTo: most)
    return Array(buffer.readableBytesView)
  }

  /// The body as JSON; fails with 400 where it is another value.
  func json<Value: Decodable>(_ type: Value.Type) async throws -> Value {
    let bytes = try await body(most: server.options.limits.text)
    guard let value = decodedJSON(type, bytes) else { throw PageFailure.malformed }
    return value
  }
}

/// The bytes of a part of an address; `nil` where a `%` is not followed by two digits.
func percentDecoded(_ text: some StringProtocol) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  var rest = Substring(text).utf8
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = rest.popFirst().flatMap(hexadecimalValue),
      let low = rest.popFirst().flatMap(hexadecimalValue)
    else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}

private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
}
