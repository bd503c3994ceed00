import CLinux
import DiaryCore
import Glibc
import Localization

/// An error of reading or writing a file: the operation, the file and the reason.
package struct FileError: Error, Sendable, Hashable {
  /// The operation that failed.
  package enum Operation: String, Sendable {
    case open, read, list, create, replace, remove, move, sync, write
  }

  /// The reason of the failure.
  package enum Reason: Sendable, Hashable {
    /// A system call failed with this `errno`.
    case system(Int32)
    /// The file does not exist.
    case absent
    /// The name is in use.
    case exists
    /// The name, or a folder in the path, is a symbolic link; links are never followed.
    case link
    /// The name belongs to a folder, a pipe or a device, not to a regular file.
    case notRegular
    /// The file is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// The file system cannot exchange two files, and a plain rename was not allowed.
    case cannotExchange
    /// The folder is not mounted, or an empty one has its path; see ``KnownFolder``.
    case away(folder: String)
    /// The path leads into a `.git` folder.
    case insideGit
    /// The file no longer contains the expected bytes.
    case changed
    /// The file has other names (hard links), which a replacement would separate from it.
    case hardLinked
    /// Other programs changed the file repeatedly while it was read.
    case stillChanging
  }

  /// The operation that failed.
  package let operation: Operation
  /// The path for messages: relative to the journal, or absolute.
  package let path: String
  /// The reason of the failure.
  package let reason: Reason

  /// Creates an error.
  package init(_ operation: Operation, _ path: String, _ reason: Reason) {
    self.operation = operation
    self.path = path
    self.reason = reason
  }

  init(_ operation: Operation, _ path: String, code: Int32) {
    let reason: Reason =
      switch code {
      case ENOENT: .absent
      case EEXIST: .exists
      // openat2 with RESOLVE_NO_SYMLINKS reports ELOOP for any link.
      case ELOOP: .link
      default: .system(code)
      }
    self.init(operation, path, reason)
  }

  /// True if the requested name belongs to another file.
  package var isNameTaken: Bool { reason == .exists }

  /// True if the path leads to something that is not a regular file, or through a link.
  package var isNotAFile: Bool { reason == .link || reason == .notRegular }

  /// The `errno` of a system call that has no separate reason here.
  package var code: Int32? { if case .system(let code) = reason { code } else { nil } }
}

extension FileError: CustomStringConvertible {
  /// One sentence with the path of the file.
  package var description: String {
    switch operation {
    case .open: localized("cannot open \(path): \(reason)")
    case .read: localized("cannot read \(path): \(reason)")
    case .list: localized("cannot list \(path): \(reason)")
    case .create: localized("cannot create \(path): \(reason)")
    case .replace: localized("cannot replace \(path): \(reason)")
    case .remove: localized("cannot remove \(path): \(reason)")
    case .move: localized("cannot move \(path): \(reason)")
    case .sync: localized("cannot sync \(path): \(reason)")
    case .write: localized("cannot write \(path): \(reason)")
    }
  }
}

extension FileError.Reason: CustomStringConvertible {
  /// The reason as a message.
  package var description: String {
    switch self {
    case .system(let code): localized("\(errnoMessage(code)) (errno \(code))")
    case .absent: localized("there is no such file")
    case .exists: localized("the name is taken")
    case .link: localized("a symbolic link is in the way, and links are not followed")
    case .notRegular: localized("it is not a regular file")
    case .tooLarge(let limit): localized("it is larger than \(limit) bytes")
    case .cannotExchange: localized("the file system cannot exchange two files in one step")
    case .away(let folder):
      localized("the folder \(folder) is not mounted or was replaced by an empty one")
    case .insideGit: localized("it is inside a .git folder")
    case .changed: localized("it was changed in the meantime")
    case .hardLinked:
      localized(
        "it has another name (a hard link), which Diary must not break; edit it "
          + "yourself, or make it a separate file first: cp -p FILE FILE.new && mv FILE.new "
          + "FILE")
    case .stillChanging: localized("another program keeps writing to it")
    }
  }
}

/// The system's message for an `errno`, untranslated.
func errnoMessage(_ code: Int32) -> String {
  guard let message = diary_error_words(code) else { return localized("unknown error") }
  return String(cString: message)
}
