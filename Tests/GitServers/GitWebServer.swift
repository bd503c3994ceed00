import Foundation
import HTTPTypes
import HummingbirdCore
import LoopbackServer
import NIOCore
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

  private let state: Mutex<State>
  private let backend: GitHTTPBackend
  private let server = Mutex<LoopbackServer?>(nil)
  /// The port on which it listens.
  public var port: Int { server.withLock { $0?.port } ?? 0 }
  /// Its address: `http://127.0.0.1:PORT`.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// Starts a server for everything below the home. It is listening when this returns.
  public static func start(_ home: Sandbox, login: Login? = nil) async throws -> GitWebServer {
    let web = GitWebServer(GitHTTPBackend(home), login)
    let server = try await LoopbackServer.start { try await web.response(to: $0) }
    web.server.withLock { $0 = server }
    return web
  }

  private init(_ backend: GitHTTPBackend, _ login: Login?) {
    self.backend = backend
    state = Mutex(State(login: login))
  }

  /// Closes the port and every connection. Later connections are refused.
  public func stop() async { await server.withLock { $0 }?.stop() }

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

  private func response(to request: Request) async throws -> Response {
    let user = user(of: request)
    let asked = ReceivedRequest(
      method: request.method.rawValue, path: request.uri.path, query: request.query, user: user)
    let number = state.withLock { state in
      state.requests.append(asked)
      return state.requests.count - 1
    }
    if behaviour == .hanging { try await Task.sleep(for: .seconds(600)) }
    // Read the body in any case, because the connection is also used for the next request.
    let body = try await Data(request.body.collect(upTo: 64 << 20).readableBytesView)
    let answer = try await answer(to: request, body, from: user)
    state.withLock { state in
      state.requests[number].status = answer.status
      state.requests[number].bytesIn = body.count
      state.requests[number].bytesOut = answer.body.count
    }
    return Response(answer.status, answer.fields, answer.body)
  }

  private func answer(
    to request: Request, _ body: Data, from user: String?
  ) async throws -> GitHTTPBackend.Answer {
    if case .refusing(let status) = behaviour { return GitHTTPBackend.Answer(status: status) }
    if behaviour == .readOnly, (request.head.path ?? "").contains("git-receive-pack") {
      return GitHTTPBackend.Answer(status: 403)
    }
    guard login == nil || user != nil else {
      return GitHTTPBackend.Answer(
        status: 401, fields: [.wwwAuthenticate: "Basic realm=\"journals\", charset=\"UTF-8\""])
    }
    return try await backend.answer(to: request, body, from: user)
  }

  /// The user name of the request, if it contains valid credentials.
  private func user(of request: Request) -> String? {
    guard let login else { return nil }
    let pair = Data("\(login.name):\(login.password)".utf8).base64EncodedString()
    return request.headers[.authorization] == "Basic " + pair ? login.name : nil
  }
}
