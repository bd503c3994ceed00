// A weather provider on loopback. It answers as Open-Meteo and OpenWeather do, records its
// requests, and fails in the same ways as they do when a test asks for it.

import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// A fake of both providers on a free port of 127.0.0.1. Stop it at the end of the test.
public final class FakeProvider: Sendable {
  private struct State {
    var behaviour = Behaviour.answering
    var sky = Observation()
    var skyAt: (@Sendable (Int) -> Observation?)?
    var places = [Place.seoul]
    var acceptedKey: String?
    var requests: [ReceivedRequest] = []
  }

  private let state = Mutex(State())
  private let server: HTTPServer
  private let serverTask: Task<Void, Never>
  /// The base URL for the settings: `http://127.0.0.1:PORT`.
  public let url: String

  /// Starts a server. It is listening when this returns.
  public static func start() async throws -> FakeProvider {
    let switchboard = RequestHandler()
    let server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 600, logger: .disabled),
      handler: switchboard)
    let running = Task { _ = try? await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(let host, let port)? = await server.listeningAddress else {
      running.cancel()
      throw NotListening()
    }
    let standIn = FakeProvider(server: server, running: running, url: "http://\(host):\(port)")
    switchboard.provider.withLock { $0 = standIn }
    return standIn
  }

  private init(server: HTTPServer, running: Task<Void, Never>, url: String) {
    self.server = server
    self.serverTask = running
    self.url = url
  }

  /// Closes the port and every connection. Later connections are refused.
  public func stop() async {
    await server.stop(timeout: 0)
    serverTask.cancel()
    await serverTask.value
  }

  /// The behaviour for the next requests.
  public var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// The current weather, also used for every hour if `skyAt` is not set.
  public var sky: Observation {
    get { state.withLock { $0.sky } }
    set { state.withLock { $0.sky = newValue } }
  }

  /// The weather of a full hour (Unix seconds). If it returns `nil`, the provider's value is null.
  public var skyAt: (@Sendable (Int) -> Observation?)? {
    get { state.withLock { $0.skyAt } }
    set { state.withLock { $0.skyAt = newValue } }
  }

  /// The places that a search can find by a prefix of their names.
  public var places: [Place] {
    get { state.withLock { $0.places } }
    set { state.withLock { $0.places = newValue } }
  }

  /// The valid OpenWeather key; with `nil`, any key that is not empty is valid.
  public var acceptedKey: String? {
    get { state.withLock { $0.acceptedKey } }
    set { state.withLock { $0.acceptedKey = newValue } }
  }

  /// The requests received so far, in order.
  public var requests: [ReceivedRequest] { state.withLock { $0.requests } }

  func record(_ asked: ReceivedRequest) { state.withLock { $0.requests.append(asked) } }
}

/// The request handler. It is created before the fake provider to which it forwards requests.
private final class RequestHandler: HTTPHandler {
  let provider = Mutex<FakeProvider?>(nil)

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let standIn = provider.withLock({ $0 }) else { throw NotListening() }
    let asked = FakeProvider.ReceivedRequest(request)
    standIn.record(asked)
    return try await standIn.behaviour.response(to: asked) { standIn.answer(to: asked) }
  }
}

private struct NotListening: Error {}
