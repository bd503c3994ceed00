import CLibgit2
import Glibc

/// What git's side of a journal refused, and on which file.
package struct GitError: Error, Sendable, Equatable {
  /// Why, for callers that act on it.
  package enum Reason: Sendable, Equatable {
    /// libgit2 said no, with its return code.
    case library(code: Int32)
    /// A system call failed, with its `errno`.
    case system(code: Int32)
    /// A repository format that libgit2 cannot work with.
    case unsupported
    /// The repository belongs to another user and is not a `safe.directory`.
    case notOwned
    /// Somebody else holds a lock.
    case locked
    /// A reference moved between the look and the write.
    case moved
    /// The path lies inside another repository or a submodule.
    case otherRepository
    /// What was read makes no sense.
    case damaged
    /// Folders lie in one another more deeply than libgit2 follows them (about a hundred).
    case tooDeep
    /// A version holds more bytes than Diary takes into memory.
    case tooLarge
  }

  /// What could not be done, as in "cannot `operation` `path`".
  package let operation: String
  /// The file, folder or reference that it was done to.
  package let path: String
  /// Why, for callers that act on it.
  package let reason: Reason
  /// Why, for people: a clause without a trailing period.
  package let detail: String

  /// An error from its facts.
  package init(_ operation: String, _ path: String, _ reason: Reason, _ detail: String) {
    self.operation = operation
    self.path = path
    self.reason = reason
    self.detail = detail
  }

  /// A failed system call; reads `errno`, so it must be made right after the call.
  static func system(_ operation: String, _ path: String) -> GitError {
    let code = errno
    return GitError(operation, path, .system(code: code), String(cString: strerror(code)))
  }

  /// A failed libgit2 call. The text belongs to the thread and to the last call, so this must be made
  /// in the same breath; it may be missing in libgit2 1.5.
  static func library(_ code: Int32, _ operation: String, _ path: String) -> GitError {
    let detail: String
    if let last = git_error_last(), let message = last.pointee.message {
      detail = String(cString: message)
    } else {
      detail = "libgit2 answered \(code)"
    }
    // libgit2 has no code of its own for it.
    let isTooDeep = detail.hasPrefix("directory nesting too deep")
    return GitError(operation, path, isTooDeep ? .tooDeep : .library(code: code), detail)
  }

  /// Throws when `code` is an error of libgit2; positive codes are data.
  @discardableResult
  static func check(
    _ code: Int32, _ operation: String, _ path: @autoclosure () -> String
  ) throws(GitError) -> Int32 {
    if code < 0 { throw library(code, operation, path()) }
    return code
  }
}

extension GitError: CustomStringConvertible {
  /// One sentence that names the file.
  package var description: String { "cannot \(operation) \(path): \(detail)" }
}
