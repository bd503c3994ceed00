import FlyingFox
import FlyingSocks
import Foundation

extension StandIn {
  /// How a stand-in treats a request.
  public enum Behaviour: Sendable, Equatable {
    /// As the provider does when all is well.
    case answering
    /// An error status, with the body (JSON, unless it begins with `<`) and a `Retry-After`.
    case failing(Int, body: String = "", retryAfter: String? = nil)
    /// Status 200 and this body, whatever was asked.
    case saying(String)
    /// Status 200 and these bytes, under this `Content-Encoding`.
    case encoded([UInt8], as: String)
    /// The right answer, but the connection ends in the middle of its body.
    case cutShort
    /// The connection is taken and nothing is ever said.
    case hanging
    /// The right answer, so many seconds later.
    case slow(Double)
    /// A body that never ends, a few bytes at a time.
    case dripping
    /// A body that never ends, as fast as it goes.
    case flooding
    /// A redirect to this URL, its query included.
    case redirecting(String)
    /// The right answer, after a redirect to another path of the same host.
    case moved

    /// A web page, as a captive portal or a broken proxy sends it.
    public static let html = Behaviour.saying(
      "<!DOCTYPE html><html><body><h1>Welcome to the hotel's network</h1></body></html>")

    func response(to asked: Asked, _ answer: () -> Answer) async throws -> HTTPResponse {
      switch self {
      case .answering: return answer().response
      case .failing(let status, let body, let retryAfter):
        var response = Answer(status: status, text: body).response
        response.headers[HTTPHeader("Retry-After")] = retryAfter
        return response
      case .saying(let text): return Answer(text: text).response
      case .encoded(let bytes, let encoding):
        return HTTPResponse(
          statusCode: .ok, headers: HTTPHeaders([.contentEncoding: encoding]), body: Data(bytes))
      case .cutShort:
        let body = Data(answer().text.utf8)
        return HTTPResponse(
          statusCode: .ok, headers: HTTPHeaders([.contentType: "application/json"]),
          body: HTTPBodySequence(
            from: Stream(piece: Array(body.prefix(body.count / 2)), end: .lost), count: body.count))
      case .hanging:
        try await Task.sleep(for: .seconds(600))
        return answer().response
      case .slow(let seconds):
        try await Task.sleep(for: .seconds(seconds))
        return answer().response
      case .dripping:
        return HTTPResponse(
          statusCode: .ok,
          body: HTTPBodySequence(from: Stream(piece: Array("    ".utf8), end: .again(0.05))))
      case .flooding:
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 4096)
        return HTTPResponse(
          statusCode: .ok, body: HTTPBodySequence(from: Stream(piece: blanks, end: .again(0))))
      case .redirecting(let url):
        return HTTPResponse(statusCode: .found, headers: HTTPHeaders([.location: url]))
      case .moved:
        guard !asked.path.hasPrefix("/moved") else { return answer().response }
        let place = "/moved\(asked.path)?\(asked.rawQuery)"
        return HTTPResponse(
          statusCode: .movedPermanently, headers: HTTPHeaders([.location: place]))
      }
    }
  }
}

/// A body that comes in pieces and does not end as it should.
struct Stream: AsyncBufferedSequence, Sendable {
  typealias Element = UInt8
  enum End: Sendable { case lost, again(Double) }
  struct Lost: Error {}

  let piece: [UInt8]
  let end: End

  func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    let stream: Stream
    var isFirst = true

    mutating func next() async throws -> UInt8? { throw Lost() }

    mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
      defer { isFirst = false }
      if isFirst { return stream.piece }
      switch stream.end {
      case .lost: throw Lost()
      case .again(let pause):
        try await Task.sleep(for: .seconds(pause))
        return stream.piece
      }
    }
  }
}
