import CLibgit2
import Glibc

/// An error of the git repository, with the affected file.
package struct GitError: Error, Sendable, Equatable {
  /// The cause, for callers that act on it.
  package enum Reason: Sendable, Equatable {
    /// libgit2 returned this error code.
    case library(code: Int32)
    /// A system call failed, with its `errno`.
    case system(code: Int32)
    /// A repository format that libgit2 cannot work with.
    case unsupported
    /// The repository belongs to another user and is not a `safe.directory`.
    case notOwned
    /// Another process holds a lock.
    case locked
    /// The path is inside another repository, a submodule or an encrypted folder.
    case foreignFolder
    /// The data is malformed.
    case damaged
    /// A version is larger than Diary reads into memory.
    case tooLarge
  }

  /// The failed operation, as in "cannot `operation` `path`".
  package let operation: String
  /// The file, folder or ref of the operation.
  package let path: String
  /// The cause, for callers that act on it.
  package let reason: Reason
  /// The cause, for people: a clause without a trailing period.
  package let detail: String

  package init(_ operation: String, _ path: String, _ reason: Reason, _ detail: String) {
    self.operation = operation
    self.path = path
    self.reason = reason
    self.detail = detail
  }

  /// A failed system call. It reads `errno`, so it must be called right after the system call.
  static func system(_ operation: String, _ path: String) -> GitError {
    let code = errno
    return GitError(operation, path, .system(code: code), String(cString: strerror(code)))
  }

  /// A failed libgit2 call. The message belongs to the thread and to the last call, so this must be
  /// called right after it; libgit2 1.5 may give no message.
  static func library(_ code: Int32, _ operation: String, _ path: String) -> GitError {
    let detail: String
    if let last = git_error_last(), let message = last.pointee.message {
      detail = String(cString: message)
    } else {
      detail = "libgit2 answered \(code)"
    }
    return GitError(operation, path, .library(code: code), detail)
  }

  /// Throws if `code` is an error of libgit2; positive codes are data.
  @discardableResult
  static func check(
    _ code: Int32, _ operation: String, _ path: @autoclosure () -> String
  ) throws(GitError) -> Int32 {
    if code < 0 { throw library(code, operation, path()) }
    return code
  }

  /// Returns the code of a libgit2 call that reads something into `value`. If the file seems cut off,
  /// it is read again for up to 1.5 seconds: gocryptfs before 2.4 tells a size that is 50 bytes too
  /// large for a second after a file was linked, and libgit2 gives a new file its name by a link
  /// (https://github.com/rfjakob/gocryptfs/issues/724).
  static func read<Value>(_ value: inout Value, _ call: (inout Value) -> Int32) -> Int32 {
    var code = call(&value)
    for _ in 0..<30 where code == GIT_ERROR.rawValue && isCutOff {
      usleep(50_000)
      code = call(&value)
    }
    return code
  }

  private static var isCutOff: Bool {
    guard let message = git_error_last()?.pointee.message else { return false }
    return String(cString: message).hasPrefix("could not read (expected ")
  }
}

extension GitError: CustomStringConvertible {
  /// One sentence that names the file.
  package var description: String { "cannot \(operation) \(path): \(detail)" }
}
