import Foundation
import Glibc
import Testing

/// A server that accepts each connection, reads the request, and closes without an answer.
final class ClosingServer: Sendable {
  let url: String
  private let listener: Int32

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    try #require(listener >= 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 4) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    try #require(isListening)
    url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
    // A separate thread, because accept blocks. It ends when the listener is shut down.
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        var request = [UInt8](repeating: 0, count: 4096)
        _ = read(connection, &request, request.count)
        _ = Glibc.close(connection)
      }
      _ = Glibc.close(listener)
    }
  }

  func close() { _ = shutdown(listener, Int32(SHUT_RDWR)) }
}
