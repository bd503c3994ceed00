import FlyingFox
import FlyingSocks
import Foundation

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

    func response(to asked: ReceivedRequest, _ answer: () -> Answer) async throws -> HTTPResponse {
      switch self {
      case .answering: return answer().response
      case .failing(let status, let body, let retryAfter):
        var response = Answer(status: status, text: body).response
        response.headers[HTTPHeader("Retry-After")] = retryAfter
        return response
      case .returning(let text): return Answer(text: text).response
      case .encoded(let bytes, let encoding):
        return HTTPResponse(
          statusCode: .ok, headers: HTTPHeaders([.contentEncoding: encoding]), body: Data(bytes))
      case .cutShort:
        let body = Data(answer().text.utf8)
        return HTTPResponse(
          statusCode: .ok, headers: HTTPHeaders([.contentType: "application/json"]),
          body: HTTPBodySequence(
            from: StreamedBody(piece: Array(body.prefix(body.count / 2)), end: .closing),
            count: body.count))
      case .hanging:
        try await Task.sleep(for: .seconds(600))
        return answer().response
      case .slow(let seconds):
        try await Task.sleep(for: .seconds(seconds))
        return answer().response
      case .dripping:
        let body = StreamedBody(piece: Array("    ".utf8), end: .repeating(0.05))
        return HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: body))
      case .flooding:
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 4096)
        let body = StreamedBody(piece: blanks, end: .repeating(0))
        return HTTPResponse(statusCode: .ok, body: HTTPBodySequence(from: body))
      case .redirecting(let url):
        return HTTPResponse(statusCode: .found, headers: HTTPHeaders([.location: url]))
      case .moved:
        guard !asked.path.hasPrefix("/moved") else { return answer().response }
        let location = "/moved\(asked.path)?\(asked.rawQuery)"
        return HTTPResponse(
          statusCode: .movedPermanently, headers: HTTPHeaders([.location: location]))
      }
    }
  }
}

/// A body that is sent in pieces and does not end normally.
struct StreamedBody: AsyncBufferedSequence, Sendable {
  typealias Element = UInt8
  enum Ending: Sendable { case closing, repeating(Double) }
  struct ConnectionLost: Error {}

  let piece: [UInt8]
  let end: Ending

  func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let stream: StreamedBody
    var isFirst = true

    mutating func next() async throws -> UInt8? { throw ConnectionLost() }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      defer { isFirst = false }
      if isFirst { return stream.piece }
      switch stream.end {
      case .closing: throw ConnectionLost()
      case .repeating(let pause):
        try await Task.sleep(for: .seconds(pause))
        return stream.piece
      }
    }
  }
}
