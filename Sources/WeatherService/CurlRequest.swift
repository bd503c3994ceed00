import CCurl
import Dispatch
import Foundation
import Synchronization

/// A complete HTTP response.
struct HTTPResponse: Sendable {
  var status: Int
  /// The seconds from the header `Retry-After`.
  var retryAfter: Int?
  var body: Data
}

/// The reason for a missing or incomplete response.
enum HTTPError: Error, Equatable {
  case timedOut
  case tooLarge
  /// The connection was closed in the middle of the response.
  case truncated
  /// The server redirected to another host, or too many times.
  case redirectRejected
  /// The connection was closed before the response started.
  case closedWithoutResponse
  case unknownHost
  case connectionRefused
  case noNetwork
  case insecure
  /// libcurl is not installed.
  case noLibrary
  /// Another libcurl error, with its code.
  case other(Int)
}

/// One GET request.
struct CurlRequest {
  private let limits: ResponseLimits
  private var body = Data()
  private var redirect: String?
  private let cancellation: Cancellation

  private var isTooLarge: Bool { body.count > limits.bytes }

  private init(limits: ResponseLimits, cancellation: Cancellation) {
    self.limits = limits
    self.cancellation = cancellation
  }

  /// Tells the transfer's thread that the task was cancelled.
  private final class Cancellation: Sendable {
    let isSet = Atomic(false)
  }

  /// Fetches a URL within the limits. The URL can contain a key, so it is never part of an error.
  static func get(_ url: URL, limits: ResponseLimits) async throws(HTTPError) -> HTTPResponse {
    let deadline = ContinuousClock.now + .seconds(limits.seconds)
    var url = url
    for _ in 0...3 {
      let (transfer, answer) = await run(url, limits: limits, until: deadline)
      if let redirect = transfer.redirect {
        guard let target = URL(string: redirect), isSameOrigin(url, target) else {
          throw .redirectRejected
        }
        url = target
        continue
      }
      try check(answer)
      return HTTPResponse(
        status: answer.status, retryAfter: answer.retry_after > 0 ? Int(answer.retry_after) : nil,
        body: transfer.body)
    }
    throw .redirectRejected
  }

  /// libcurl blocks, so it runs on another thread.
  private static func run(
    _ url: URL, limits: ResponseLimits, until end: ContinuousClock.Instant
  ) async -> (CurlRequest, diary_curl_answer) {
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          let remaining = (end - .now) / .milliseconds(1)
          var transfer = CurlRequest(limits: limits, cancellation: cancellation)
          let answer = withUnsafeMutablePointer(to: &transfer) { transfer in
            diary_curl_get(
              url.absoluteString, "diary/0.1 (plain-text journal)", max(1, Int(remaining)),
              transfer,
              { context, bytes, length in
                guard let bytes else { return 0 }
                let transfer = context?.assumingMemoryBound(to: CurlRequest.self)
                transfer?.pointee.body.append(
                  contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
                return transfer?.pointee.isTooLarge ?? true ? 1 : 0
              },
              { context, address in
                let transfer = context?.assumingMemoryBound(to: CurlRequest.self)
                transfer?.pointee.redirect = address.map { String(cString: $0) }
              },
              { context in
                let transfer = context?.assumingMemoryBound(to: CurlRequest.self)
                return transfer?.pointee.cancellation.isSet.load(ordering: .relaxed) ?? true ? 1 : 0
              })
          }
          continuation.resume(returning: (transfer, answer))
        }
      }
    } onCancel: {
      cancellation.isSet.store(true, ordering: .relaxed)
    }
  }

  private static func check(_ answer: diary_curl_answer) throws(HTTPError) {
    switch answer.end {
    case diary_curl_done: return
    case diary_curl_late: throw .timedOut
    case diary_curl_stopped: throw .tooLarge
    case diary_curl_broken: throw answer.status == 0 ? .closedWithoutResponse : .truncated
    case diary_curl_unknown_host: throw .unknownHost
    case diary_curl_refused: throw .connectionRefused
    case diary_curl_no_network: throw .noNetwork
    case diary_curl_insecure: throw .insecure
    case diary_curl_missing: throw .noLibrary
    default: throw .other(Int(answer.code))
    }
  }

  /// True if a redirect keeps the host and port, or changes http to https. The query contains the
  /// key and the position, which must not reach another host or an insecure connection.
  static func isSameOrigin(_ from: URL, _ to: URL) -> Bool {
    guard let host = from.host, host.lowercased() == to.host?.lowercased() else { return false }
    switch (from.scheme?.lowercased(), to.scheme?.lowercased()) {
    case ("http", "https"): return true
    case ("http", "http"), ("https", "https"): return from.port == to.port
    default: return false
    }
  }
}
