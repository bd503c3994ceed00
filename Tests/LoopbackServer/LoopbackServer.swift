import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// An HTTP server for a test, on a free port of 127.0.0.1. Stop it at the end of the test.
public final class LoopbackServer: Sendable {
  /// The port on which it listens.
  public let port: Int
  private let services: ServiceGroup
  private let running: Task<Void, Never>

  /// Starts a server. It is listening when this returns. If `answer` fails, the connection is closed.
  public static func start(
    _ answer: @escaping @Sendable (Request) async throws -> Response
  ) async throws -> LoopbackServer {
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let server = try HTTPServerBuilder.http1().buildServer(
      configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
      eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
      logger: logger,
      responder: { request, writer, _ in
        let response = try await answer(request)
        try await writer.write(response: response.head, body: response.body)
      },
      onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
    var configuration = ServiceGroupConfiguration(services: [server], logger: logger)
    configuration.maximumGracefulShutdownDuration = .milliseconds(200)
    let services = ServiceGroup(configuration: configuration)
    let running = Task {
      _ = try? await services.run()
      port.finish()
    }
    for await number in ports { return LoopbackServer(number, services, running) }
    throw NotListening()
  }

  private init(_ port: Int, _ services: ServiceGroup, _ running: Task<Void, Never>) {
    (self.port, self.services, self.running) = (port, services, running)
  }

  /// Closes the port and then every connection. Later connections are refused.
  ///
  /// The port is closed first, because a connection that arrives while the server is cancelled ends
  /// the process: nobody finishes its writer.
  public func stop() async {
    await services.triggerGracefulShutdown()
    await running.value
  }
}

private struct NotListening: Error {}

extension Request {
  /// The query, still percent-encoded.
  public var query: String { uri.query ?? "" }
}

extension Response {
  /// A response with a body of these bytes.
  public init(_ status: Int, _ fields: HTTPFields = [:], _ body: some Sequence<UInt8> = []) {
    self.init(
      status: HTTPResponse.Status(code: status), headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}
