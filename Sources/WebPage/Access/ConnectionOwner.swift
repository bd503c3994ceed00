import CLinux
import DiaryCore
import Glibc
import NIOCore

/// Checks the user of the other end of a connection. A browser sends its cookies to every port of
/// this host, so another user's server could steal a session cookie and use it.
enum ConnectionOwner {
  /// True if the other end is a socket of a program of this user, as the kernel answers, or else by its
  /// tables (`/proc/net/tcp`, proc(5)), which take it 10 ms. Also true if the kernel provides no tables.
  static func isThisUser(_ channel: any Channel) -> Bool {
    // The kernel is asked about a socket of 127.0.0.1: one of 127.0.0.2 may have the same port.
    guard let serverPort = channel.localAddress?.port, let client = channel.remoteAddress,
      client.ipAddress == "127.0.0.1", let clientPort = client.port
    else { return false }
    let answer = diary_is_socket_of(UInt16(clientPort), UInt16(serverPort), geteuid())
    guard answer < 0 else { return answer == 1 }
    let tables = ["tcp", "tcp6"].map { contents("/proc/self/net/" + $0) }
    guard tables[0] != nil else { return true }
    return tables.contains { table in
      table.map {
        isListed(clientPort: clientPort, serverPort: serverPort, user: geteuid(), in: $0)
      } ?? false
    }
  }

  /// True if a table lists the socket at `clientPort`, connected to `serverPort`, both of
  /// 127.0.0.1, as the user's. A socket that its program has closed has inode 0 and does not count.
  static func isListed(clientPort: Int, serverPort: Int, user: UInt32, in table: String) -> Bool {
    let (far, near) = (address(clientPort), address(serverPort))
    return table.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ", maxSplits: 10)
      return fields.count > 9 && fields[1].hasSuffix(far) && fields[2].hasSuffix(near)
        && fields[7] == "\(user)" && fields[9] != "0"
    }
  }

  /// 127.0.0.1 in the kernel's format, which is also the end of its IPv6 format.
  private static func address(_ port: Int) -> String {
    hexadecimal(UInt32(0x7F00_0001).bigEndian, width: 8) + ":" + hexadecimal(UInt32(port), width: 4)
  }

  /// Reads a file of the kernel, which returns it in parts; `nil` if it does not exist.
  private static func contents(_ path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(file, &part, part.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += part[..<count]
    }
  }
}
