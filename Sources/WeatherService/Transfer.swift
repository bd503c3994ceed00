import Foundation
import FoundationNetworking
import Synchronization

/// What came back: a status and the whole of a body.
struct HTTPResponse: Sendable {
  var status: Int
  /// The header `Retry-After`, as it stands.
  var retryAfter: String?
  var body: Data
}

/// Why nothing whole came back.
enum HTTPError: Error, Equatable {
  case late
  case tooLarge
  /// The connection ended in the middle of the answer.
  case brokenOff
  /// The server sent us to another host, or in a circle.
  case sentAway
  case lost(URLError.Code)
}

/// One GET, from its start to its one end; the delegate of a session of its own.
///
/// `URLSession`'s own timeouts are not enough: the one for a request starts anew with every byte,
/// the one for a whole resource is not honoured on Linux, and nothing bounds a body.
final class Transfer: NSObject, URLSessionDataDelegate {
  private enum ReceivedResponse {
    case page(HTTPResponse)
    case redirect(URL?)
  }

  private typealias Outcome = Result<ReceivedResponse, HTTPError>
  private typealias Waiter = CheckedContinuation<Outcome, Never>

  private struct State {
    var page: HTTPResponse?
    var outcome: Outcome?
    var waiter: Waiter?
  }

  private let state = Mutex(State())
  private let limits: ResponseLimits

  private init(limits: ResponseLimits) { self.limits = limits }

  /// Fetches a URL within the limits. The URL may hold a key: it is not in any fault.
  static func get(_ url: URL, limits: ResponseLimits) async throws(HTTPError) -> HTTPResponse {
    let end = ContinuousClock.now + .seconds(limits.seconds)
    var url = url
    for _ in 0...3 {
      switch try await Transfer(limits: limits).outcome(of: url, until: end).get() {
      case .page(let page): return page
      case .redirect(let target):
        guard let target, isSameOrigin(url, target) else { throw .sentAway }
        url = target
      }
    }
    throw .sentAway
  }

  private func outcome(of url: URL, until end: ContinuousClock.Instant) async -> Outcome {
    let session = URLSession(
      configuration: Transfer.configuration(limits), delegate: self, delegateQueue: nil)
    // A session holds its delegate until it is invalidated.
    defer { session.invalidateAndCancel() }
    var request = URLRequest(url: url)
    request.setValue("diary/0.1 (plain-text journal)", forHTTPHeaderField: "User-Agent")
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    let deadline = Task {
      try await Task.sleep(until: end)
      finish(.failure(.late))
    }
    defer { deadline.cancel() }
    session.dataTask(with: request).resume()
    return await outcome()
  }

  private static func configuration(_ limits: ResponseLimits) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    // Ours comes first: this one counts whole seconds only.
    configuration.timeoutIntervalForRequest = limits.seconds + 60
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    return configuration
  }

  private func outcome() async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiter = waiter }
          return state.outcome
        }
        if let outcome { waiter.resume(returning: outcome) }
      }
    } onCancel: {
      finish(.failure(.late))
    }
  }

  /// The first end counts: after a deadline the session still reports a cancelled task.
  private func finish(_ outcome: Outcome) {
    let waiter = state.withLock { state -> Waiter? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let head = response as? HTTPURLResponse
    let page = HTTPResponse(
      status: head?.statusCode ?? 0, retryAfter: head?.value(forHTTPHeaderField: "Retry-After"),
      body: Data())
    state.withLock { $0.page = page }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = state.withLock { state in
      state.page?.body.append(data)
      return (state.page?.body.count ?? 0) > limits.bytes
    }
    if isTooLarge { finish(.failure(.tooLarge)) }
  }

  /// The handler is never called: the task is cancelled by then, or soon, and corelibs stops the
  /// whole program when an answer meets a cancelled task. A redirect is followed by a new transfer.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    finish(.success(.redirect(request.url)))
  }

  /// The query holds the key and the place: it goes to the host that was asked and to no other, and
  /// never from a locked connection to an open one.
  static func isSameOrigin(_ from: URL, _ to: URL) -> Bool {
    guard let host = from.host, host.lowercased() == to.host?.lowercased() else { return false }
    switch (from.scheme?.lowercased(), to.scheme?.lowercased()) {
    case ("http", "https"): return true
    case ("http", "http"), ("https", "https"): return from.port == to.port
    default: return false
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let page = state.withLock { $0.page }
    switch (error, page) {
    case (nil, let page?): finish(.success(.page(page)))
    case (nil, nil): finish(.failure(.brokenOff))
    case (let error?, let page):
      let code = (error as? URLError)?.code ?? .unknown
      finish(.failure(code == .timedOut ? .late : page == nil ? .lost(code) : .brokenOff))
    }
  }
}
