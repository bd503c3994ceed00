import HTTPTypes
import HummingbirdCore
import NIOCore

extension PageContext {
  /// The event stream (`text/event-stream`) of one page, until the page or the server closes it.
  /// The first event is `program`, by which a page detects that the program has changed.
  func events() throws -> Response {
    let server = server
    guard let stream = server.events.open() else {
      return Response(status: .serviceUnavailable, headers: [.retryAfter: "10"])
    }
    let counted = server.options.endsWithLastPage
    let program = Array(#"{"digest":"\#(server.assets.digest)","counted":\#(counted)}"#.utf8)
    let request = request
    let body = ResponseBody { writer in
      defer { server.events.close(stream) }
      try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
      try await writer.write(EventStreams.part("program", program))
      try await request.body.consumeWithInboundCloseHandler { _ in
        for await part in stream.parts { try await writer.write(part) }
      } onInboundClosed: {
        server.events.close(stream)
      }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
  }
}
