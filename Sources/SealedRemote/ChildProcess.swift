import CLinux
import Foundation
import Glibc
import Localization

/// A program that ran to its end. It reads and writes files, in memory unless the caller names others,
/// so neither side waits for the other.
struct ChildProcess {
  /// The exit code, or 128 plus the number of the signal that ended it.
  let status: Int
  let output: [UInt8]
  let errors: String

  var text: String { String(decoding: output, as: UTF8.self) }

  /// The lines of the output, without empty ones. A CR may end a file's name.
  var lines: [Substring] {
    output.split(separator: 10).map { Substring(decoding: $0, as: UTF8.self) }
  }

  /// Runs a program of the path.
  ///
  /// - Parameters:
  ///   - input: the bytes that it reads.
  ///   - inputFile: a descriptor that it reads instead, from its position.
  ///   - outputFile: a descriptor that it writes to; its output is then not returned.
  static func run(
    _ command: [String], environment: [String: String], input: [UInt8] = [],
    inputFile: Int32? = nil, outputFile: Int32? = nil
  ) throws(SealedError) -> ChildProcess {
    if EndRequest.hasArrived { throw SealedError(localized("it was interrupted")) }
    let (given, taken, failures) = (try Memory(input), try Memory(), try Memory())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputFile ?? given.descriptor, 0)
    posix_spawn_file_actions_adddup2(&actions, outputFile ?? taken.descriptor, 1)
    posix_spawn_file_actions_adddup2(&actions, failures.descriptor, 2)
    var arguments = command.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, command[0], &actions, nil, &arguments, &variables)
    guard code == 0 else {
      throw SealedError(localized("cannot run \(command[0]): \(String(cString: strerror(code)))"))
    }
    EndRequest.wait(forEndOf: process)
    var status: Int32 = 127 << 8
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return ChildProcess(
      status: signal == 0 ? Int(status >> 8) & 0xff : 128 + Int(signal),
      output: taken.bytes, errors: String(decoding: failures.bytes, as: UTF8.self))
  }

  /// True if it failed because of this machine, and not of what it read.
  var failedHere: Bool {
    guard status != 0 else { return false }
    let reasons = [
      "no space left", "disk quota", "file too large", "read-only file system", "permission denied",
      "out of memory", "cannot allocate memory", "too many open files", "input/output error",
    ]
    let text = errors.lowercased()
    return status > 128 || reasons.contains { text.contains($0) }
  }

  /// The first line of the errors, as a reason.
  var reason: String {
    var line = errors.split(separator: "\n").first { !$0.hasPrefix("hint:") } ?? ""
    for prefix in ["fatal: ", "error: ", "age: error: "] where line.hasPrefix(prefix) {
      line = line.dropFirst(prefix.count)
    }
    return line.isEmpty ? localized("it gave no reason") : String(line)
  }
}

/// The request to end, by a signal or because git has ended. The running program is ended and no other
/// is started, so that the session removes what is temporary, and keeps no other from the remote.
package enum EndRequest {
  /// True if the end of the input is that of git.
  package nonisolated(unsafe) static var followsInput = false
  package nonisolated(unsafe) fileprivate(set) static var hasArrived = false

  /// Waits for the end of a program, which the request brings about. Without `pidfd_open(2)`, before Linux
  /// 5.3, it does not wait.
  static func wait(forEndOf process: pid_t) {
    let program = diary_process_descriptor(process)
    defer { close(program) }
    // A signal just before the wait does not end it.
    while program >= 0, poll(program, atMost: 500) == 0 {
      if hasArrived { kill(process, SIGTERM) }
    }
  }

  /// Waits for a descriptor or the request, or for so many milliseconds. Returns the events of the
  /// descriptor.
  @discardableResult
  static func poll(_ descriptor: Int32, atMost time: Int32) -> Int {
    var files = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: followsInput && !hasArrived ? STDIN_FILENO : -1, events: 0, revents: 0),
    ]
    guard Glibc.poll(&files, 2, time) > 0 else { return 0 }
    if Int32(files[1].revents) & POLLHUP != 0 { hasArrived = true }
    return Int(files[0].revents)
  }

  /// Lets SIGINT, SIGTERM and SIGHUP make the request, unless they are ignored.
  package static func handleSignals() {
    // With SIGCHLD ignored, as some programs leave it, no program would have an exit code.
    signal(SIGCHLD, SIG_DFL)
    // Without SA_RESTART, so that the wait for a program ends.
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in EndRequest.hasArrived = true }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var old = sigaction()
      sigaction(number, &action, &old)
      let isIgnored =
        unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
      if isIgnored { sigaction(number, &old, nil) }
    }
  }
}

/// A file in memory, closed with the object.
private final class Memory {
  let descriptor: Int32

  init(_ bytes: [UInt8] = []) throws(SealedError) {
    descriptor = diary_memory_file("diary")
    guard descriptor >= 0, descriptor.writeAll(bytes) else {
      throw SealedError.system(localized("cannot start a program"))
    }
    lseek(descriptor, 0, SEEK_SET)
  }

  var bytes: [UInt8] { descriptor.contents(from: 0) }

  deinit { close(descriptor) }
}

extension Int32 {
  /// Writes all bytes to this descriptor; false if it cannot.
  func writeAll(_ bytes: some Collection<UInt8>) -> Bool {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(self, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// The bytes of this descriptor's file from an offset to the end, or at most `limit` of them.
  func contents(from offset: Int, limit: Int = .max) -> [UInt8] {
    let size = Swift.min(Swift.max(0, fileSize - offset), limit)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while filled < size {
        let rest = UnsafeMutableRawBufferPointer(buffer)[filled...]
        let count = pread(
          self, UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress, rest.count,
          off_t(offset + filled))
        guard count > 0 else { break }
        filled += count
      }
    }
  }

  /// The size of this descriptor's file.
  var fileSize: Int {
    var status = stat()
    return fstat(self, &status) == 0 ? Int(status.st_size) : 0
  }
}
