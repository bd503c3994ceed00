// A weather provider on loopback: it answers as Open-Meteo and OpenWeather do, remembers what it was
// asked, and fails in their ways when a test tells it to.

import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// A stand-in for both providers, on a free port of 127.0.0.1; stop it at the end of the test.
public final class StandIn: Sendable {
  private struct State {
    var behaviour = Behaviour.answering
    var sky = Observation()
    var skyAt: (@Sendable (Int) -> Observation?)?
    var places = [Place.seoul]
    var acceptedKey: String?
    var requests: [Asked] = []
  }

  private let state = Mutex(State())
  private let server: HTTPServer
  private let running: Task<Void, Never>
  /// The base URL to put in the settings: `http://127.0.0.1:PORT`.
  public let url: String

  /// Starts a server; it listens when this returns.
  public static func start() async throws -> StandIn {
    let switchboard = Switchboard()
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
    let standIn = StandIn(server: server, running: running, url: "http://\(host):\(port)")
    switchboard.standIn.withLock { $0 = standIn }
    return standIn
  }

  private init(server: HTTPServer, running: Task<Void, Never>, url: String) {
    self.server = server
    self.running = running
    self.url = url
  }

  /// Closes the port and every connection; whoever asks then is refused.
  public func stop() async {
    await server.stop(timeout: 0)
    running.cancel()
    await running.value
  }

  /// How the next requests are answered.
  public var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// The sky now, and of every hour that `skyAt` does not tell.
  public var sky: Observation {
    get { state.withLock { $0.sky } }
    set { state.withLock { $0.sky = newValue } }
  }

  /// The sky of a full hour (Unix seconds); `nil` from it: the provider has no value (null).
  public var skyAt: (@Sendable (Int) -> Observation?)? {
    get { state.withLock { $0.skyAt } }
    set { state.withLock { $0.skyAt = newValue } }
  }

  /// The places that the look-up knows; a name finds those that begin with it.
  public var places: [Place] {
    get { state.withLock { $0.places } }
    set { state.withLock { $0.places = newValue } }
  }

  /// OpenWeather's key; `nil`: any that is not empty.
  public var acceptedKey: String? {
    get { state.withLock { $0.acceptedKey } }
    set { state.withLock { $0.acceptedKey = newValue } }
  }

  /// What it was asked so far, in order.
  public var requests: [Asked] { state.withLock { $0.requests } }

  func record(_ asked: Asked) { state.withLock { $0.requests.append(asked) } }
}

/// The server's handler is made before the stand-in that it answers for.
private final class Switchboard: HTTPHandler {
  let standIn = Mutex<StandIn?>(nil)

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let standIn = standIn.withLock({ $0 }) else { throw NotListening() }
    let asked = StandIn.Asked(request)
    standIn.record(asked)
    return try await standIn.behaviour.response(to: asked) { standIn.answer(to: asked) }
  }
}

private struct NotListening: Error {}
