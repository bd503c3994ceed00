import Glibc
import Synchronization

/// The socket at which readers ask the watcher, a datagram a question. It lies in `.git/diary/` and is
/// open to its owner alone.
final class WatchDoor: Sendable {
  /// Who asked what, and waits for the answer.
  struct Question: Sendable {
    let text: String
    fileprivate let sender: [UInt8]
  }

  /// Can be read when somebody asks, and is the same number for as long as the watcher lives; -1
  /// where there can be no socket.
  let descriptor: CInt
  private let folder: Mutex<String?>

  private static let name = "watch.socket"
  /// More than any question or answer is long.
  private static let limit = 256

  /// Only for who holds the watcher's lock: what a killed watcher has left is replaced.
  init(in folder: String) {
    descriptor = Self.bound(in: folder)
    self.folder = Mutex(descriptor < 0 ? nil : folder)
  }

  deinit {
    close()
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Opens it again, in a folder that has come back and may be another one.
  func reopen(in folder: String) {
    close()
    guard descriptor >= 0 else { return }
    let fresh = Self.bound(in: folder)
    guard fresh >= 0 else { return }
    self.folder.withLock { $0 = folder }
    // Whoever waits for the old one looks up when that ends, and would sleep on for ever if there were
    // nothing to read: poll(2) has laid itself down at the old one, whatever has the number by now.
    _ = Self.at(folder) { CInt(sendto(fresh, "", 0, CInt(MSG_DONTWAIT), $0, $1)) }
    let last = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    dup2(fresh, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    Glibc.close(fresh)
    shutdown(last, CInt(SHUT_RDWR))
    Glibc.close(last)
  }

  /// Nobody finds it any more.
  func close() {
    let last = folder.withLock { folder in
      defer { folder = nil }
      return folder
    }
    if let last { unlink(last + "/" + Self.name) }
  }

  /// The next question; `nil` when none waits.
  func next() -> Question? {
    var (sender, length) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
    var bytes = [UInt8](repeating: 0, count: Self.limit)
    let count = withUnsafeMutablePointer(to: &sender) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        recvfrom(descriptor, &bytes, Self.limit, CInt(MSG_DONTWAIT), $0, &length)
      }
    }
    // Nothing is what it says to itself.
    guard count > 0 else { return nil }
    let address = withUnsafeBytes(of: &sender) { Array($0.prefix(Int(length))) }
    return Question(text: String(decoding: bytes[..<count], as: UTF8.self), sender: address)
  }

  /// Whoever waits no more is passed by.
  func answer(_ question: Question, _ text: String) {
    question.sender.withUnsafeBytes { address in
      guard let start = address.baseAddress else { return }
      let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
      _ = sendto(
        descriptor, text, text.utf8.count, flags, start.assumingMemoryBound(to: sockaddr.self),
        socklen_t(address.count))
    }
  }
}

// MARK: The reader's side

extension WatchDoor {
  /// Someone who stands at the door; `nil` where no watcher listens.
  struct Caller: ~Copyable {
    private let socket: CInt

    init?(in folder: String) {
      socket = WatchDoor.socket()
      guard socket >= 0 else { return nil }
      // A name that the kernel makes up, to be answered at. Nobody but who is called can answer.
      var own = sockaddr_un()
      own.sun_family = sa_family_t(AF_UNIX)
      let isBound = withUnsafePointer(to: &own) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(socket, $0, socklen_t(MemoryLayout<sa_family_t>.size)) == 0
        }
      }
      guard isBound, WatchDoor.at(folder, { connect(socket, $0, $1) }) == 0 else { return nil }
    }

    deinit { if socket >= 0 { Glibc.close(socket) } }

    /// What is answered within so many milliseconds; `nil`: nothing.
    func ask(_ text: String, milliseconds: CInt) -> String? {
      let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
      guard send(socket, text, text.utf8.count, flags) == text.utf8.count else { return nil }
      var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, milliseconds) == 1 else { return nil }
      var bytes = [UInt8](repeating: 0, count: WatchDoor.limit)
      let count = recv(socket, &bytes, WatchDoor.limit, CInt(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  fileprivate static func socket() -> CInt {
    let kind = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
    return Glibc.socket(AF_UNIX, CInt(kind), 0)
  }

  private static func bound(in folder: String) -> CInt {
    let socket = socket()
    guard socket >= 0 else { return -1 }
    unlink(folder + "/" + name)
    // Before it has a name, so that it is never open to others.
    guard fchmod(socket, 0o600) == 0, at(folder, { bind(socket, $0, $1) }) == 0 else {
      Glibc.close(socket)
      return -1
    }
    return socket
  }

  /// Calls with the socket's address. The path of a journal may be longer than an address can be;
  /// the one through an open folder never is.
  fileprivate static func at(
    _ folder: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt
  ) -> CInt {
    let number = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { return -1 }
    defer { Glibc.close(number) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: "/proc/self/fd/\(number)/\(name)".utf8)
    }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
