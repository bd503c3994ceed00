import CCurl
import Dispatch
import Foundation
import Synchronization

/// What came back: a status and the whole of a body.
struct HTTPResponse: Sendable {
  var status: Int
  /// The seconds of the header `Retry-After`.
  var retryAfter: Int?
  var body: Data
}

/// Why nothing whole came back.
enum HTTPError: Error, Equatable {
  case timedOut
  case tooLarge
  /// The connection ended in the middle of the answer.
  case truncated
  /// The server sent us to another host, or in a circle.
  case redirectRejected
  /// The connection ended before the answer began.
  case closedWithoutResponse
  case unknownHost
  case connectionRefused
  case noNetwork
  case insecure
  /// libcurl is not installed.
  case noLibrary
  /// What else libcurl reports, by its number.
  case other(Int)
}

/// One GET, from its start to its one end.
struct Transfer {
  private let limits: ResponseLimits
  private var body = Data()
  private var redirect: String?
  private let cancellation: Cancellation

  private var isTooLarge: Bool { body.count > limits.bytes }

  private init(limits: ResponseLimits, cancellation: Cancellation) {
    self.limits = limits
    self.cancellation = cancellation
  }

  /// Says to the thread of a transfer that nobody waits for it any more.
  private final class Cancellation: Sendable {
    let isSet = Atomic(false)
  }

  /// Fetches a URL within the limits. The URL may hold a key: it is not in any fault.
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

  /// libcurl blocks, so it does so on a thread of its own.
  private static func run(
    _ url: URL, limits: ResponseLimits, until end: ContinuousClock.Instant
  ) async -> (Transfer, diary_curl_answer) {
    let cancellation = Cancellation()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          let remaining = (end - .now) / .milliseconds(1)
          var transfer = Transfer(limits: limits, cancellation: cancellation)
          let answer = withUnsafeMutablePointer(to: &transfer) { transfer in
            diary_curl_get(
              url.absoluteString, "diary/0.1 (plain-text journal)", max(1, Int(remaining)),
              transfer,
              { context, bytes, length in
                guard let bytes else { return 0 }
                let transfer = context?.assumingMemoryBound(to: Transfer.self)
                transfer?.pointee.body.append(
                  contentsOf: UnsafeRawBufferPointer(start: bytes, count: length))
                return transfer?.pointee.isTooLarge ?? true ? 1 : 0
              },
              { context, address in
                let transfer = context?.assumingMemoryBound(to: Transfer.self)
                transfer?.pointee.redirect = address.map { String(cString: $0) }
              },
              { context in
                let transfer = context?.assumingMemoryBound(to: Transfer.self)
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
}
