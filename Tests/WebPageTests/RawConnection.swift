import Foundation
import Glibc
import TestSupport

/// An HTTP response.
struct RawResponse: Sendable {
  var status: Int
  var fields: [(name: String, value: String)] = []
  var body: [UInt8] = []

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The value of a field, or `nil` if it is missing or repeated.
  subscript(name: String) -> String? {
    let values = fields.filter { $0.name == name.lowercased() }.map(\.value)
    return values.count == 1 ? values[0] : nil
  }
}

/// A raw TCP connection to a port of 127.0.0.1. Calls block on separate threads.
final class RawConnection: Sendable {
  private let descriptor: Int32

  /// - Parameter source: the address and port of this end.
  init(_ port: Int, from source: (address: String, port: Int) = ("127.0.0.1", 0)) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    func address(_ name: String, _ port: Int) -> sockaddr_in {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = inet_addr(name)
      return address
    }
    var (own, address) = (address(source.address, source.port), address("127.0.0.1", port))
    let bound = withUnsafePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else { throw ProgramFailed(message: "bind: \(errno)") }
    var limit = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(
      descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw ProgramFailed(message: "connect: \(errno)") }
  }

  deinit { close(descriptor) }

  /// The port of this end.
  var ownPort: Int {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return Int(address.sin_port.bigEndian)
  }

  /// Sends bytes. Returns how many were sent before the peer closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) async -> Int {
    await onThread { [descriptor] in
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { break }
        sent += count
      }
      return sent
    }
  }

  func send(_ text: String) async { await send(Array(text.utf8)) }

  /// Shuts down the sending side.
  func shutDownSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives some bytes: none if the peer has closed, or sent nothing for 30 seconds.
  func receive(most: Int = 1 << 16) async -> [UInt8] {
    await onThread { [descriptor] in
      var buffer = [UInt8](repeating: 0, count: most)
      let count = recv(descriptor, &buffer, most, 0)
      return Array(buffer.prefix(max(0, count)))
    }
  }

  /// Receives all bytes until the peer closes.
  func receiveAll() async -> [UInt8] {
    var all: [UInt8] = []
    while true {
      let part = await receive()
      if part.isEmpty { return all }
      all += part
    }
  }

  /// Receives exactly one response, or `nil` if the connection ended before.
  func response(toHead isHead: Bool = false) async -> RawResponse? {
    var head: [UInt8] = []
    while !head.hasSuffix("\r\n\r\n") {
      let byte = await receive(most: 1)
      if byte.isEmpty { return nil }
      head += byte
    }
    guard var answer = RawResponse(head: head) else { return nil }
    guard !isHead, let length = answer["content-length"].flatMap({ Int($0) }) else { return answer }
    while answer.body.count < length {
      let part = await receive(most: length - answer.body.count)
      if part.isEmpty { return nil }
      answer.body += part
    }
    return answer
  }

  /// Sends one request on a new connection and returns the response.
  static func response(from port: Int, to request: [UInt8]) async throws -> RawResponse {
    let connection = try RawConnection(port)
    async let sent = connection.send(request)
    let answer = await connection.response(toHead: request.starts(with: "HEAD ".utf8))
    if let answer { return answer }
    throw ProgramFailed(message: "no answer; sent \(await sent) bytes")
  }

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}

extension RawResponse {
  init?(head: [UInt8]) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else { return nil }
    self.init(status: status)
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return nil }
      fields.append((parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces)))
    }
  }
}

extension [UInt8] {
  func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
