import Foundation
import HTTPTypes
import HummingbirdCore
import LoopbackServer
import NIOCore

extension FakeProvider {
  /// The way in which a fake provider answers a request.
  public enum Behaviour: Sendable, Equatable {
    /// Normal operation.
    case answering
    /// An error status with a body (JSON, unless it begins with `<`) and a `Retry-After` header.
    case failing(Int, body: String = "", retryAfter: String? = nil)
    /// Status 200 and this body for any request.
    case returning(String)
    /// Status 200 and these bytes, with this `Content-Encoding`.
    case encoded([UInt8], as: String)
    /// The correct response, but the connection is closed in the middle of the body.
    case cutShort
    /// Accepts the connection and never answers.
    case hanging
    /// The correct response after this number of seconds.
    case slow(Double)
    /// An endless body, a few bytes at a time.
    case dripping
    /// An endless body at full speed.
    case flooding
    /// A redirect to this URL, including its query.
    case redirecting(String)
    /// A redirect to another path of the same host, then the correct response.
    case moved

    /// A web page, as sent by a captive portal or a broken proxy.
    public static let html = Behaviour.returning(
      "<!DOCTYPE html><html><body><h1>Welcome to the hotel's network</h1></body></html>")

    func response(to asked: ReceivedRequest, _ answer: () -> Answer) async throws -> Response {
      switch self {
      case .answering: return answer().response
      case .failing(let status, let body, let retryAfter):
        var response = Answer(status: status, text: body).response
        response.headers[.retryAfter] = retryAfter
        return response
      case .returning(let text): return Answer(text: text).response
      case .encoded(let bytes, let encoding):
        return Response(200, [.contentEncoding: encoding], bytes)
      case .cutShort:
        let body = answer().text.utf8
        let half = ByteBuffer(bytes: body.prefix(body.count / 2))
        return Response(
          status: .ok, headers: [.contentType: "application/json"],
          body: ResponseBody(contentLength: body.count) { writer in
            try await writer.write(half)
            throw ConnectionLost()
          })
      case .hanging:
        try await Task.sleep(for: .seconds(600))
        return answer().response
      case .slow(let seconds):
        try await Task.sleep(for: .seconds(seconds))
        return answer().response
      case .dripping: return endless(Array("    ".utf8), pause: .milliseconds(50))
      case .flooding: return endless([UInt8](repeating: UInt8(ascii: " "), count: 4096))
      case .redirecting(let url): return Response(302, [.location: url])
      case .moved:
        guard !asked.path.hasPrefix("/moved") else { return answer().response }
        return Response(301, [.location: "/moved\(asked.path)?\(asked.rawQuery)"])
      }
    }
  }
}

/// A response whose body repeats a piece.
private func endless(_ piece: [UInt8], pause: Duration = .zero) -> Response {
  let body = ResponseBody { writer in
    while true {
      try await writer.write(ByteBuffer(bytes: piece))
      try await Task.sleep(for: pause)
    }
  }
  return Response(status: .ok, body: body)
}

private struct ConnectionLost: Error {}
