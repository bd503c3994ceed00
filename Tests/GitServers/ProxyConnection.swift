import Glibc
import Synchronization

/// The two sockets of a connection through a proxy.
final class ProxyConnection: Sendable {
  /// The reason why forwarding in one direction has ended.
  enum EndReason { case sourceEnded, limitReached, stalled }

  private struct State {
    var openDirections = 2
    var isStalled = false
    var isCut = false
  }

  private let client: Int32
  private let server: Int32
  private let state = Mutex(State())

  /// Takes ownership of both sockets.
  init(client: Int32, server: Int32) {
    self.client = client
    self.server = server
  }

  deinit {
    _ = close(client)
    _ = close(server)
  }

  /// Whether the connection forwards no more bytes.
  var isClosed: Bool { state.withLock { $0.isCut || $0.openDirections == 0 } }

  /// Shuts down both directions.
  func cut() {
    state.withLock { $0.isCut = true }
    for end in [client, server] { _ = shutdown(end, Int32(SHUT_RDWR)) }
  }

  /// Stops forwarding in both directions but keeps the connection open.
  func stall() { state.withLock { $0.isStalled = true } }

  /// Forwards up to `limit` bytes in one direction and reports the count before each step.
  func forward(_ direction: FaultyProxy.Direction, limit: Int, _ count: (Int) -> Void) -> EndReason
  {
    let (source, target) = direction == .up ? (client, server) : (server, client)
    var remaining = limit
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while remaining > 0 {
      let received = recv(source, &buffer, min(buffer.count, remaining), 0)
      if state.withLock({ $0.isStalled }) { return .stalled }
      if received > 0 { count(received) }
      guard received > 0, send(buffer[..<received], to: target) else {
        _ = shutdown(target, Int32(SHUT_WR))
        state.withLock { $0.openDirections -= 1 }
        return .sourceEnded
      }
      remaining -= received
    }
    return .limitReached
  }

  private func send(_ bytes: ArraySlice<UInt8>, to target: Int32) -> Bool {
    var remaining = bytes
    while !remaining.isEmpty {
      let step = remaining.withUnsafeBytes {
        Glibc.send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard step > 0 else { return false }
      remaining = remaining.dropFirst(step)
    }
    return true
  }
}
