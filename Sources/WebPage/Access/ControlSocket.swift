import DiaryKit
import Foundation
import Glibc
import Localization
import NIOCore
import NIOPosix

/// The socket in `.git/diary/` through which a second `diary web` sends commands to the running
/// one: `link` for a new link, `forget` to sign out all browsers. Other users cannot open it.
enum ControlSocket {
  /// Returns the one-line response to a command.
  typealias Responder = @Sendable (String) -> String

  private static let name = "web.socket"

  /// Listens until the returned channel is closed.
  static func listen(
    in journal: Journal, on loops: any EventLoopGroup, _ answer: @escaping Responder
  ) async throws -> any Channel {
    let folder = open(journal.stateFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw failure(journal) }
    defer { close(folder) }
    unlinkat(folder, name, 0)
    let channel = try await ServerBootstrap(group: loops)
      .childChannelInitializer { child in
        child.eventLoop.makeCompletedFuture {
          try child.pipeline.syncOperations.addHandler(ControlSocketHandler(answer))
        }
      }
      .bind(unixDomainSocketPath: path(folder)).get()
    guard fchmodat(folder, name, 0o600, 0) == 0 else { throw failure(journal) }
    return channel
  }

  /// Sends a command to the running server; `nil` if it does not respond within five seconds.
  static func send(_ command: String, in journal: Journal) -> String? {
    let folder = open(journal.stateFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return nil }
    defer { close(folder) }
    let connection = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    guard connection >= 0 else { return nil }
    defer { close(connection) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path(folder).utf8) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isConnected, command.withCString({ write(connection, $0, strlen($0)) }) > 0,
      shutdown(connection, Int32(SHUT_WR)) == 0
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    var count = 0
    while count < bytes.count {
      let got = bytes[count...].withUnsafeMutableBytes {
        read(connection, $0.baseAddress, $0.count)
      }
      guard got > 0 else { break }
      count += got
    }
    return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
  }

  /// The path through the open folder's descriptor, because a socket path is limited to 107 bytes.
  private static func path(_ folder: Int32) -> String { "/proc/self/fd/\(folder)/\(name)" }

  private static func failure(_ journal: Journal) -> DiaryError {
    let reason = String(cString: strerror(errno))
    return DiaryError(localized("cannot make a socket in \(journal.stateFolder): \(reason)"))
  }
}

/// Reads a command, sends the response and closes the connection.
private final class ControlSocketHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let responder: ControlSocket.Responder

  init(_ answer: @escaping ControlSocket.Responder) { self.responder = answer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let command = String(buffer: unwrapInboundIn(data))
    let line = context.channel.allocator.buffer(string: responder(command))
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(line)).whenComplete { _ in channel.close(promise: nil) }
  }
}
