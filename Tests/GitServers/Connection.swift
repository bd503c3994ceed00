import Glibc
import Synchronization

/// The two ends of a connection that goes over a line.
final class Connection: Sendable {
  /// Why a way carries no more.
  enum End { case sourceEnded, spent, stalled }

  private struct State {
    var waysOpen = 2
    var isStalled = false
    var isCut = false
  }

  private let client: Int32
  private let server: Int32
  private let state = Mutex(State())

  /// Owns both sockets.
  init(client: Int32, server: Int32) {
    self.client = client
    self.server = server
  }

  deinit {
    _ = close(client)
    _ = close(server)
  }

  /// Whether nothing will pass any more.
  var isOver: Bool { state.withLock { $0.isCut || $0.waysOpen == 0 } }

  /// Ends it both ways.
  func cut() {
    state.withLock { $0.isCut = true }
    for end in [client, server] { _ = shutdown(end, Int32(SHUT_RDWR)) }
  }

  /// Carries no more, either way, and stays open.
  func stall() { state.withLock { $0.isStalled = true } }

  /// Carries bytes one way, `limit` at most; tells how many before each step.
  func carry(_ direction: CutLine.Direction, limit: Int, _ count: (Int) -> Void) -> End {
    let (source, target) = direction == .up ? (client, server) : (server, client)
    var left = limit
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while left > 0 {
      let heard = recv(source, &buffer, min(buffer.count, left), 0)
      if state.withLock({ $0.isStalled }) { return .stalled }
      if heard > 0 { count(heard) }
      guard heard > 0, send(buffer[..<heard], to: target) else {
        _ = shutdown(target, Int32(SHUT_WR))
        state.withLock { $0.waysOpen -= 1 }
        return .sourceEnded
      }
      left -= heard
    }
    return .spent
  }

  private func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let step = rest.withUnsafeBytes {
        Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard step > 0 else { return false }
      rest = rest.dropFirst(step)
    }
    return true
  }
}
