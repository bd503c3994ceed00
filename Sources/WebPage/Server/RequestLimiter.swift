import NIOCore
import NIOHTTP1

/// Holds one connection to its limits, before any request reaches the server: the size of heads and
/// bodies, how long they may take to come, how long a connection may rest, and that a reader takes what
/// is sent. What breaks a limit is answered by a status without a body, and the connection closed.
///
/// Belongs to the connection's event loop.
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
  /// Requests that were let through and whose answer has not ended.
  private var pendingResponses = 0
  /// Whether the first of those answers has begun.
  private var isResponding = false
  /// Whether the answer that is being written is the last one.
  private var isLastResponse = false
  /// What the rest of the connection is answered, once the answers before it have ended.
  private var refusal: HTTPResponseStatus?
  private var isOutputClosed = false
  private var isQuiescing = false
  /// Bytes of the request line so far.
  private var requestLineLength = 0
  private var isRequestLineComplete = false
  private var unwritableSince: NIODeadline?
  private var timer: (due: NIODeadline, task: Scheduled<Void>)?

  init(_ limits: RequestLimits, _ connections: Connections) {
    self.limits = limits
    self.connections = connections
    readState = .idle(since: .now())
  }

  // MARK: what comes

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

  /// Some bytes have come, which the reader of HTTP keeps until a head is whole.
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

  /// Nothing is read any more once the last answer is written: who sends on is not listened to.
  func read(context: ChannelHandlerContext) {
    if !isOutputClosed { context.read() }
  }

  /// The status that a head is refused with before anyone looks at it; `nil` for most.
  static func refusal(
    of head: HTTPRequestHead, _ limits: RequestLimits
  ) -> HTTPResponseStatus? {
    guard head.uri.utf8.count <= limits.requestLine else { return .uriTooLong }
    // Only such a target has one meaning: a whole address names a host beside `Host`.
    let isKnown = [.GET, .HEAD, .POST, .PUT, .DELETE].contains(head.method)
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

  /// The same head, said to be the last one where the client is of HTTP/1.0 and does not ask for more.
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

  /// Tells who reads a body that the rest will not come: without an error, what has come would be all.
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

  // MARK: what goes

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

  /// Reads no more, and answers so when its turn comes.
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

  /// Ends what is sent and waits a little for the other side to end: closed at once, with bytes unread,
  /// the kernel would throw away an answer that has not been read yet.
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

  // MARK: time

  /// When something is due next, if nothing happens until then.
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

  /// Has one timer wait for that. One that is there already and comes earlier looks again then.
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
