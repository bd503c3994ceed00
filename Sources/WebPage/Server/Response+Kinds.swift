import DiaryCore
import DiaryKit
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

extension Response {
  /// An HTML document.
  static func document(_ html: String, status: HTTPResponse.Status = .ok) -> Response {
    .text(html, type: "text/html; charset=utf-8", status: status)
  }

  /// A value as JSON with sorted keys.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .bytes(Array(try encoder.encode(value)), type: "application/json", status: status)
  }

  /// A text with a content type.
  static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
    .bytes(Array(text.utf8), type: type, status: status)
  }

  static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: status, headers: [.contentType: type],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// A failure as JSON for the script, with control characters made visible.
  static func failure(_ failure: PageFailure) -> Response {
    struct FailureBody: Encodable {
      let what: String
      let hint: String
      let kind: String
    }
    let body = FailureBody(
      what: terminalLine(failure.what), hint: terminalLine(failure.hint ?? ""),
      kind: failure.kind.rawValue)
    return (try? json(body, status: failure.status)) ?? Response(status: failure.status)
  }
}
