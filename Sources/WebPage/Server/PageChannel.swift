import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The pipeline of a connection: the HTTP/1.1 decoder with its limits, and the request limiter.
struct PageChannel: HTTPChannelHandler {
  typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  let responder: HTTPChannelHandler.Responder
  let limits: RequestLimits
  let connections: Connections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let limiter = RequestLimiter(limits, connections)
      var decoder = NIOHTTPDecoderLimitConfiguration()
      // The decoder counts the request line as a field.
      decoder.maxHeaderFieldSize = limits.requestLine
      decoder.maxHeaderListSize = limits.head
      decoder.maxHeaderFieldCount = limits.fields
      try pipeline.addHandler(ByteObserver(limiter))
      try pipeline.configureHTTPServerPipeline(
        withPipeliningAssistance: false, withErrorHandling: false,
        withOutboundHeaderValidation: false, withEncoderConfiguration: .init(),
        withDecoderLimitConfiguration: decoder)
      try pipeline.addHandler(limiter)
      try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
      return try NIOAsyncChannel(
        wrappingChannelSynchronously: channel,
        configuration: .init(isOutboundHalfClosureEnabled: true))
    }
  }

  func handle(value: Value, logger: Logger) async {
    await handleHTTP(asyncChannel: value, logger: logger)
  }
}

/// Reports received bytes to the limiter, because the decoder buffers them until a head is
/// complete.
final class ByteObserver: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let limiter: RequestLimiter

  init(_ gate: RequestLimiter) { self.limiter = gate }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    limiter.receiveBytes(unwrapInboundIn(data))
    context.fireChannelRead(data)
  }
}
