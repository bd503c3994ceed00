import CLinux
import DiaryCore
import Glibc
import Localization

/// Why a file could not be read or written: what was tried, on which file, and what the system said.
package struct FileError: Error, Sendable, Hashable {
  /// What was tried.
  package enum Operation: String, Sendable {
    case open, read, list, create, replace, remove, move, sync, write
  }

  /// What stood in the way.
  package enum Reason: Sendable, Hashable {
    /// A system call failed with this `errno`.
    case system(Int32)
    /// There is no such file.
    case absent
    /// The name is taken.
    case exists
    /// A symbolic link stands at the name or on the way; links are never followed.
    case link
    /// It is a folder, a pipe, a device: not an ordinary file.
    case notRegular
    /// The file holds more bytes than this.
    case tooLarge(limit: Int)
    /// The file system cannot let two files change places, and a plain rename was not allowed.
    case cannotExchange
    /// The path leads into a `.git` folder.
    case insideGit
    /// It does not hold the bytes that were expected any more.
    case changed
    /// The file has other names (hard links), from which a new file in its place would part it.
    case hardLinked
    /// Others wrote the file again and again while it was looked at.
    case stillChanging
  }

  /// What was tried.
  package let operation: Operation
  /// The file as its reader knows it: relative to the journal, or absolute.
  package let path: String
  /// What stood in the way.
  package let reason: Reason

  /// An error from its facts.
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
      // openat2 with RESOLVE_NO_SYMLINKS says ELOOP for any link that it meets.
      case ELOOP: .link
      default: .system(code)
      }
    self.init(operation, path, reason)
  }

  /// Whether the name that was wanted belongs to another file.
  package var isNameTaken: Bool { reason == .exists }

  /// Whether what is there is no ordinary file, or is reached through a link.
  package var isNotAFile: Bool { reason == .link || reason == .notRegular }

  /// The `errno`, when a system call gave one that has no name of its own here.
  package var code: Int32? { if case .system(let code) = reason { code } else { nil } }
}

extension FileError: CustomStringConvertible {
  /// One sentence that names the file.
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
  /// What stood in the way, in words.
  package var description: String {
    switch self {
    case .system(let code): localized("\(errnoMessage(code)) (errno \(code))")
    case .absent: localized("there is no such file")
    case .exists: localized("the name is taken")
    case .link: localized("a symbolic link is in the way, and links are not followed")
    case .notRegular: localized("it is not a regular file")
    case .tooLarge(let limit): localized("it is larger than \(limit) bytes")
    case .cannotExchange: localized("the file system cannot exchange two files in one step")
    case .insideGit: localized("it is inside a .git folder")
    case .changed: localized("it was changed in the meantime")
    case .hardLinked:
      localized(
        "it has another name (a hard link), which Diary must not break; write it in an editor, "
          + "or make it a separate file first: cp -p FILE FILE.new && mv FILE.new FILE")
    case .stillChanging: localized("another program keeps writing to it")
    }
  }
}

/// What the system says about an `errno`, untranslated.
func errnoMessage(_ code: Int32) -> String {
  guard let message = diary_error_words(code) else { return localized("unknown error") }
  return String(cString: message)
}
