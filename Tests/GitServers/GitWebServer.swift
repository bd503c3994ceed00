import FlyingFox
import FlyingSocks
import Foundation
import Synchronization
import TestSupport

/// Git over HTTP on a free port of 127.0.0.1: the repositories of a home, by `git http-backend`.
/// Stop it at the end of the test.
public final class GitWebServer: Sendable {
  /// How it treats a request.
  public enum Behaviour: Sendable, Equatable {
    /// As a host does when all is well.
    case serving
    /// An error status, such as 403 or 500.
    case refusing(Int)
    /// Fetches are answered, pushes with 403.
    case readOnly
    /// The connection is taken and nothing is ever said.
    case hanging
  }

  /// Who may come in.
  public struct Login: Sendable, Equatable {
    /// The user name.
    public var name: String
    /// The password, or what a host takes in its place.
    public var password: String

    /// A login from its parts.
    public init(name: String, password: String) {
      self.name = name
      self.password = password
    }
  }

  /// One request as it was answered.
  public struct Asked: Sendable, Equatable {
    /// `GET` or `POST`.
    public var method: String
    /// The path, such as `/journal.git/info/refs`.
    public var path: String
    /// The query as it was sent.
    public var query: String
    /// Who asked, if they were let in by name.
    public var user: String?
    /// The answer's status; `nil` while there is none.
    public var status: Int?
    /// Bytes of the request's body.
    public var bytesIn = 0
    /// Bytes of the answer's body.
    public var bytesOut = 0
  }

  private struct State {
    var behaviour = Behaviour.serving
    var login: Login?
    var requests: [Asked] = []
  }

  private let state = Mutex(State())
  private let backend: Backend
  private let server: HTTPServer
  private let running: Task<Void, Never>
  /// Its address: `http://127.0.0.1:PORT`.
  public let url: String
  /// Where it listens.
  public let port: Int

  /// Starts a server of everything below the home; it listens when this returns.
  public static func start(_ home: Sandbox, login: Login? = nil) async throws -> GitWebServer {
    let desk = Desk()
    let server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 600, logger: .disabled),
      handler: desk)
    let running = Task { _ = try? await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port)? = await server.listeningAddress else {
      running.cancel()
      throw ProgramFailed(text: "the server does not listen")
    }
    let web = GitWebServer(Backend(home), server, running, Int(port))
    web.login = login
    desk.server.withLock { $0 = web }
    return web
  }

  private init(
    _ backend: Backend, _ server: HTTPServer, _ running: Task<Void, Never>, _ port: Int
  ) {
    self.backend = backend
    self.server = server
    self.running = running
    self.port = port
    url = "http://127.0.0.1:\(port)"
  }

  /// Closes the port and every connection; whoever asks then is refused.
  public func stop() async {
    await server.stop(timeout: 0)
    running.cancel()
    await running.value
  }

  /// A repository's URL here, at the server's own port or at that of a line to it.
  public func url(_ repository: BareRepository, through line: CutLine? = nil) -> String {
    "http://127.0.0.1:\(line?.number ?? port)/\(repository.name)"
  }

  /// How the next requests are answered.
  public var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// Who may come in; `nil`: everyone.
  public var login: Login? {
    get { state.withLock { $0.login } }
    set { state.withLock { $0.login = newValue } }
  }

  /// What it was asked so far, in order.
  public var requests: [Asked] { state.withLock { $0.requests } }

  fileprivate func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    let user = user(of: request)
    let asked = Asked(
      method: request.method.rawValue, path: request.path, query: request.target.query(),
      user: user)
    let number = state.withLock { state in
      state.requests.append(asked)
      return state.requests.count - 1
    }
    if behaviour == .hanging { try await Task.sleep(for: .seconds(600)) }
    // Heard to its end whatever the answer: the connection serves the next request, too.
    let body = try await request.bodySequence.reduce(into: Data()) { $0.append($1) }
    let answer = try await answer(to: request, body, from: user)
    state.withLock { state in
      state.requests[number].status = answer.status
      state.requests[number].bytesIn = body.count
      state.requests[number].bytesOut = answer.body.count
    }
    return HTTPResponse(
      statusCode: HTTPStatusCode(answer.status, phrase: answer.status == 200 ? "OK" : "Error"),
      headers: HTTPHeaders(answer.headers), body: answer.body)
  }

  private func answer(
    to request: HTTPRequest, _ body: Data, from user: String?
  ) async throws -> Backend.Answer {
    if case .refusing(let status) = behaviour { return Backend.Answer(status: status) }
    if behaviour == .readOnly,
      (request.path + request.target.query()).contains("git-receive-pack")
    {
      return Backend.Answer(status: 403)
    }
    guard login == nil || user != nil else {
      return Backend.Answer(
        status: 401,
        headers: [HTTPHeader("WWW-Authenticate"): "Basic realm=\"journals\", charset=\"UTF-8\""])
    }
    return try await backend.answer(to: request, body, from: user)
  }

  /// The login's name, if the request carries it.
  private func user(of request: HTTPRequest) -> String? {
    guard let login else { return nil }
    let pair = Data("\(login.name):\(login.password)".utf8).base64EncodedString()
    return request.headers[.authorization] == "Basic " + pair ? login.name : nil
  }
}

/// The server's handler is made before the object that it answers for.
private final class Desk: HTTPHandler {
  let server = Mutex<GitWebServer?>(nil)

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let server = server.withLock({ $0 }) else {
      return HTTPResponse(statusCode: .serviceUnavailable)
    }
    return try await server.answer(request)
  }
}
