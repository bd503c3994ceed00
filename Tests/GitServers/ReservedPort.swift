import Foundation
import Glibc
import Synchronization

/// A free port of 127.0.0.1, reserved for the lifetime of this object so that it can be reopened.
/// While it is shut, it refuses connections.
final class ReservedPort: Sendable {
  let number: Int
  /// A bound socket that never listens. It reserves the port number while the port is shut.
  private let reservation: Int32
  private let listener = Mutex<Int32?>(nil)

  init() throws {
    let (socket, number) = try Self.makeBoundSocket(to: 0)
    reservation = socket
    self.number = number
  }

  deinit {
    shut()
    _ = close(reservation)
  }

  /// Starts listening. `handle` owns each accepted connection.
  func open(_ handle: @escaping @Sendable (Int32) -> Void) throws {
    let (socket, _) = try Self.makeBoundSocket(to: number)
    guard listen(socket, 64) == 0 else {
      _ = close(socket)
      throw SocketFailed()
    }
    listener.withLock { $0 = socket }
    // A separate thread, because accept blocks. It ends when the listener is shut down.
    Thread.detachNewThread {
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { break }
        handle(Self.settingCloseOnExec(connection))
      }
      _ = close(socket)
    }
  }

  /// Stops accepting connections. Existing connections belong to their owner.
  func shut() {
    listener.withLock { listener in
      if let socket = listener { _ = shutdown(socket, Int32(SHUT_RDWR)) }
      listener = nil
    }
  }

  /// Connects to a port of this machine.
  static func connection(to number: Int) throws -> Int32 {
    let socket = try socket()
    let isConnected = withAddress(number) { connect(socket, $0, $1) == 0 }
    guard isConnected else {
      _ = close(socket)
      throw SocketFailed()
    }
    return socket
  }

  private static func socket() throws -> Int32 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard socket >= 0 else { throw SocketFailed() }
    return settingCloseOnExec(socket)
  }

  /// Sets close-on-exec: a child process that inherited the socket would keep the connection open.
  private static func settingCloseOnExec(_ socket: Int32) -> Int32 {
    _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    return socket
  }

  private static func makeBoundSocket(to number: Int) throws -> (socket: Int32, number: Int) {
    let socket = try socket()
    var yes: Int32 = 1
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, size)
    var found = sockaddr_in()
    let isBound = withAddress(number) { address, length in
      guard bind(socket, address, length) == 0 else { return false }
      var length = length
      return withUnsafeMutablePointer(to: &found) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          getsockname(socket, $0, &length) == 0
        }
      }
    }
    guard isBound else {
      _ = close(socket)
      throw SocketFailed()
    }
    return (socket, Int(UInt16(bigEndian: found.sin_port)))
  }

  private static func withAddress<Value>(
    _ number: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(number).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}

struct SocketFailed: Error, CustomStringConvertible {
  var description = String(cString: strerror(errno))
}
