import Glibc

/// A port of 127.0.0.1 on which this process listens until the object is released.
public final class OccupiedPort: Sendable {
  /// The number of the port.
  public let port: Int
  private let descriptor: Int32

  /// Listens on a free port.
  public init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    descriptor = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 5) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    port = Int(in_port_t(bigEndian: address.sin_port))
    guard isBound else { throw ProgramFailed(message: "bind: \(errno)") }
  }

  deinit { close(descriptor) }
}

/// Returns a port of 127.0.0.1 on which no program listens at the moment.
public func freePort() throws -> Int { try OccupiedPort().port }
