import NIOCore
import NIOHTTP1

/// Enforces the limits of one connection before a request reaches the server: the size of heads and
/// bodies, the time for receiving them, the idle time, and the time for a client to read a
/// response. A violation is answered by a status without a body, and the connection is closed.
///
/// It must be used only on the connection's event loop.
final class RequestLimiter: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private enum ReadState {
    case idle(since: NIODeadline)
    case head(since: NIODeadline)
    case body(since: NIODeadline, bytes: Int)
  }

  private let limits: RequestLimits
  private let connections: Connections
  private var readState: ReadState
  /// The number of requests that were passed on and whose responses are not complete.
  private var pendingResponses = 0
  /// True if the first of those responses has started.
  private var isResponding = false
  /// True if the response that is being written is the last one.
  private var isLastResponse = false
  /// The status for further requests, sent after the previous responses.
  private var refusal: HTTPResponseStatus?
  private var isOutputClosed = false
  private var isQuiescing = false
  /// The number of bytes of the request line so far.
  private var requestLineLength = 0
  private var isRequestLineComplete = false
  private var unwritableSince: NIODeadline?
  private var timer: (due: NIODeadline, task: Scheduled<Void>)?

  init(_ limits: RequestLimits, _ connections: Connections) {
    self.limits = limits
    self.connections = connections
    readState = .idle(since: .now())
  }

  // MARK: Inbound

  func channelActive(context: ChannelHandlerContext) {
    guard connections.add(context.channel) else {
      refuse(.serviceUnavailable, context)
      return
    }
    guard ConnectionOwner.isThisUser(context.channel) else {
      refuse(.forbidden, context)
      return
    }
    schedule(context)
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.task.cancel()
    connections.remove(context.channel)
    endBody(context, ChannelError.eof)
    context.fireChannelInactive()
  }

  /// Handles received bytes, which the HTTP decoder buffers until a head is complete.
  func receiveBytes(_ bytes: ByteBuffer) {
    if case .idle = readState {
      readState = .head(since: .now())
      (requestLineLength, isRequestLineComplete) = (0, false)
    }
    guard case .head = readState, !isRequestLineComplete else { return }
    let end = bytes.readableBytesView.firstIndex(of: UInt8(ascii: "\n"))
    isRequestLineComplete = end != nil
    requestLineLength +=
      (end ?? bytes.readableBytesView.endIndex) - bytes.readableBytesView.startIndex
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard refusal == nil, !isOutputClosed else { return }
    switch unwrapInboundIn(data) {
    case .head(let head):
      readState = .body(since: .now(), bytes: 0)
      if let status = RequestLimiter.refusal(of: head, limits) { return refuse(status, context) }
      pendingResponses += 1
      context.fireChannelRead(wrapInboundOut(.head(RequestLimiter.headClosingConnection(head))))
    case .body(let bytes):
      guard case .body(let since, let count) = readState else { return }
      readState = .body(since: since, bytes: count + bytes.readableBytes)
      if count + bytes.readableBytes > limits.file { return refuse(.payloadTooLarge, context) }
      context.fireChannelRead(data)
    case .end:
      readState = .idle(since: .now())
      context.fireChannelRead(data)
    }
    schedule(context)
  }

  /// Stops reading after the last response is written; later data of the client is ignored.
  func read(context: ChannelHandlerContext) {
    if !isOutputClosed { context.read() }
  }

  /// The status with which a head is refused at once; `nil` if it is accepted.
  static func refusal(
    of head: HTTPRequestHead, _ limits: RequestLimits
  ) -> HTTPResponseStatus? {
    guard head.uri.utf8.count <= limits.requestLine else { return .uriTooLong }
    // The target must be a path: an absolute URI would name a second host besides `Host`.
    let isKnown = [.GET, .HEAD, .POST, .PUT, .PATCH, .DELETE].contains(head.method)
    guard isKnown else { return .methodNotAllowed }
    guard head.uri.utf8.first == UInt8(ascii: "/"), head.headers["upgrade"].isEmpty else {
      return .badRequest
    }
    let lengths = head.headers["content-length"]
    guard lengths.isEmpty || head.headers["transfer-encoding"].isEmpty else { return .badRequest }
    if let length = lengths.first.flatMap({ Int($0) }), length > limits.file {
      return .payloadTooLarge
    }
    return nil
  }

  /// The head with `Connection: close` for an HTTP/1.0 client without keep-alive.
  private static func headClosingConnection(_ head: HTTPRequestHead) -> HTTPRequestHead {
    guard !head.isKeepAlive else { return head }
    var head = head
    head.headers.replaceOrAdd(name: "connection", value: "close")
    return head
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    endBody(context, error)
    guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
    guard error == .headerOverflow else { return refuse(.badRequest, context) }
    refuse(
      requestLineLength > limits.requestLine ? .uriTooLong : .requestHeaderFieldsTooLarge, context)
  }

  /// Fails the reading of a body: without an error, a truncated body would look complete.
  private func endBody(_ context: ChannelHandlerContext, _ error: any Error) {
    if case .body = readState { context.fireErrorCaught(error) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent {
      isQuiescing = true
      if pendingResponses == 0 { context.close(promise: nil) }
    } else if case ChannelEvent.inputClosed = event, pendingResponses == 0 {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }

  // MARK: Outbound

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isOutputClosed else {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      isResponding = true
      isLastResponse = head.headers[canonicalForm: "connection"].contains {
        $0.lowercased() == "close"
      }
      context.write(data, promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      pendingResponses -= 1
      isResponding = false
      context.writeAndFlush(data, promise: promise)
      if case .idle = readState { readState = .idle(since: .now()) }
      if isLastResponse || (isQuiescing && pendingResponses == 0) {
        closeOutput(context)
      } else if pendingResponses == 0, let refusal {
        respond(refusal, context)
      }
      schedule(context)
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    unwritableSince = context.channel.isWritable ? nil : .now()
    schedule(context)
    context.fireChannelWritabilityChanged()
  }

  /// Stops reading, and sends the status after the previous responses.
  private func refuse(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
    guard refusal == nil, !isOutputClosed else { return }
    refusal = status
    if case .body = readState, pendingResponses == 1, !isResponding {
      respond(status, context)
    } else if pendingResponses == 0 {
      respond(status, context)
    }
  }

  private func respond(_ status: HTTPResponseStatus, _ context: ChannelHandlerContext) {
    let fields = HTTPHeaders([("connection", "close"), ("content-length", "0")])
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    closeOutput(context)
  }

  /// Closes the output and waits one second for the client to close. Closing at once with unread
  /// bytes would make the kernel discard a response that the client has not read yet.
  private func closeOutput(_ context: ChannelHandlerContext) {
    isOutputClosed = true
    context.close(mode: .output, promise: nil)
    timer?.task.cancel()
    let channel = context.channel
    let due = NIODeadline.now() + .seconds(1)
    timer = (
      due, context.eventLoop.scheduleTask(deadline: due) { channel.close(promise: nil) }
    )
  }

  // MARK: Timeouts

  /// The next deadline, if no event occurs before it.
  private func deadline(_ context: ChannelHandlerContext) -> NIODeadline? {
    if let unwritableSince { return unwritableSince + .seconds(Int64(limits.writeTimeout)) }
    switch readState {
    case .head(let since): return since + .seconds(Int64(limits.headTimeout))
    case .body(let since, let bytes):
      return since + .seconds(Int64(limits.headTimeout + bytes / limits.minBodyRate))
    case .idle(let since):
      guard pendingResponses == 0 else { return nil }
      let isTrusted = connections.isTrusted(context.channel)
      return since + .seconds(Int64(isTrusted ? limits.idleTimeout : limits.headTimeout))
    }
  }

  /// Schedules one timer for the deadline. An existing earlier timer checks the deadline again.
  private func schedule(_ context: ChannelHandlerContext) {
    guard !isOutputClosed, let due = deadline(context), timer.map({ due < $0.due }) ?? true else {
      return
    }
    timer?.task.cancel()
    let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
      self.timer = nil
      self.checkDeadline(context)
    }
    timer = (due, task)
  }

  private func checkDeadline(_ context: ChannelHandlerContext) {
    guard let due = deadline(context) else { return }
    guard due <= .now() else { return schedule(context) }
    if unwritableSince != nil { return context.close(promise: nil) }
    if case .idle = readState { return context.close(promise: nil) }
    refuse(.requestTimeout, context)
    if !isOutputClosed { context.close(promise: nil) }
  }
}
