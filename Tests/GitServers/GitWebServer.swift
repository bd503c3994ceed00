import FlyingFox
import FlyingSocks
import Foundation
import Synchronization
import TestSupport

/// A git server over HTTP on a free port of 127.0.0.1, for the repositories below a home. It uses
/// `git http-backend`. Stop it at the end of the test.
public final class GitWebServer: Sendable {
  /// The way in which the server answers a request.
  public enum Behaviour: Sendable, Equatable {
    /// Normal operation.
    case serving
    /// Answers with an error status, such as 403 or 500.
    case refusing(Int)
    /// Answers fetches, and pushes with 403.
    case readOnly
    /// Accepts the connection and never answers.
    case hanging
  }

  /// The credentials that are required.
  public struct Login: Sendable, Equatable {
    /// The user name.
    public var name: String
    /// The password or access token.
    public var password: String

    /// Creates a login from its parts.
    public init(name: String, password: String) {
      self.name = name
      self.password = password
    }
  }

  /// A request and the status of its response.
  public struct ReceivedRequest: Sendable, Equatable {
    /// `GET` or `POST`.
    public var method: String
    /// The path, such as `/journal.git/info/refs`.
    public var path: String
    /// The query string of the request.
    public var query: String
    /// The user name, if the request was authenticated.
    public var user: String?
    /// The status of the response; `nil` until there is one.
    public var status: Int?
    /// The size of the request's body in bytes.
    public var bytesIn = 0
    /// The size of the response's body in bytes.
    public var bytesOut = 0
  }

  private struct State {
    var behaviour = Behaviour.serving
    var login: Login?
    var requests: [ReceivedRequest] = []
  }

  private let state = Mutex(State())
  private let backend: GitHTTPBackend
  private let server: HTTPServer
  private let serverTask: Task<Void, Never>
  /// Its address: `http://127.0.0.1:PORT`.
  public let url: String
  /// The port on which it listens.
  public let port: Int

  /// Starts a server for everything below the home. It is listening when this returns.
  public static func start(_ home: Sandbox, login: Login? = nil) async throws -> GitWebServer {
    let desk = RequestHandler()
    let server = HTTPServer(
      config: HTTPServer.Configuration(
        address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 600, logger: .disabled),
      handler: desk)
    let running = Task { _ = try? await server.run() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port)? = await server.listeningAddress else {
      running.cancel()
      throw ProgramFailed(message: "the server does not listen")
    }
    let web = GitWebServer(GitHTTPBackend(home), server, running, Int(port))
    web.login = login
    desk.server.withLock { $0 = web }
    return web
  }

  private init(
    _ backend: GitHTTPBackend, _ server: HTTPServer, _ running: Task<Void, Never>, _ port: Int
  ) {
    self.backend = backend
    self.server = server
    self.serverTask = running
    self.port = port
    url = "http://127.0.0.1:\(port)"
  }

  /// Closes the port and every connection. Later connections are refused.
  public func stop() async {
    await server.stop(timeout: 0)
    serverTask.cancel()
    await serverTask.value
  }

  /// The URL of a repository at the server's own port or at the port of a proxy to it.
  public func url(_ repository: BareRepository, through proxy: FaultyProxy? = nil) -> String {
    "http://127.0.0.1:\(proxy?.portNumber ?? port)/\(repository.name)"
  }

  /// The behaviour for the next requests.
  public var behaviour: Behaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// The required credentials; `nil` means none.
  public var login: Login? {
    get { state.withLock { $0.login } }
    set { state.withLock { $0.login = newValue } }
  }

  /// The requests received so far, in order.
  public var requests: [ReceivedRequest] { state.withLock { $0.requests } }

  fileprivate func response(to request: HTTPRequest) async throws -> HTTPResponse {
    let user = user(of: request)
    let asked = ReceivedRequest(
      method: request.method.rawValue, path: request.path, query: request.target.query(),
      user: user)
    let number = state.withLock { state in
      state.requests.append(asked)
      return state.requests.count - 1
    }
    if behaviour == .hanging { try await Task.sleep(for: .seconds(600)) }
    // Read the body in any case, because the connection is also used for the next request.
    let body = try await request.bodySequence.reduce(into: Data()) { $0.append($1) }
    let answer = try await response(to: request, body, from: user)
    state.withLock { state in
      state.requests[number].status = answer.status
      state.requests[number].bytesIn = body.count
      state.requests[number].bytesOut = answer.body.count
    }
    return HTTPResponse(
      statusCode: HTTPStatusCode(answer.status, phrase: answer.status == 200 ? "OK" : "Error"),
      headers: HTTPHeaders(answer.headers), body: answer.body)
  }

  private func response(
    to request: HTTPRequest, _ body: Data, from user: String?
  ) async throws -> GitHTTPBackend.Response {
    if case .refusing(let status) = behaviour { return GitHTTPBackend.Response(status: status) }
    if behaviour == .readOnly,
      (request.path + request.target.query()).contains("git-receive-pack")
    {
      return GitHTTPBackend.Response(status: 403)
    }
    guard login == nil || user != nil else {
      return GitHTTPBackend.Response(
        status: 401,
        headers: [HTTPHeader("WWW-Authenticate"): "Basic realm=\"journals\", charset=\"UTF-8\""])
    }
    return try await backend.response(to: request, body, from: user)
  }

  /// The user name of the request, if it contains valid credentials.
  private func user(of request: HTTPRequest) -> String? {
    guard let login else { return nil }
    let pair = Data("\(login.name):\(login.password)".utf8).base64EncodedString()
    return request.headers[.authorization] == "Basic " + pair ? login.name : nil
  }
}

/// The request handler. It is created before the server object to which it forwards requests.
private final class RequestHandler: HTTPHandler {
  let server = Mutex<GitWebServer?>(nil)

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    guard let server = server.withLock({ $0 }) else {
      return HTTPResponse(statusCode: .serviceUnavailable)
    }
    return try await server.response(to: request)
  }
}
