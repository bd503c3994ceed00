// A weather provider on loopback. It answers as Open-Meteo and OpenWeather do, records its
// requests, and fails in the same ways as they do when a test asks for it.

import HummingbirdCore
import LoopbackServer
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
  private let server = Mutex<LoopbackServer?>(nil)
  /// The base URL for the settings: `http://127.0.0.1:PORT`.
  public var url: String { "http://127.0.0.1:\(server.withLock { $0?.port } ?? 0)" }

  /// Starts a server. It is listening when this returns.
  public static func start() async throws -> FakeProvider {
    let provider = FakeProvider()
    let server = try await LoopbackServer.start { try await provider.response(to: $0) }
    provider.server.withLock { $0 = server }
    return provider
  }

  private init() {}

  /// Closes the port and every connection. Later connections are refused.
  public func stop() async { await server.withLock { $0 }?.stop() }

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

  private func response(to request: Request) async throws -> Response {
    let asked = ReceivedRequest(request)
    state.withLock { $0.requests.append(asked) }
    return try await behaviour.response(to: asked) { answer(to: asked) }
  }
}
