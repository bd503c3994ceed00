import DiaryCore
import Glibc

extension FolderScan {
  /// Throws if the scan is incomplete because of a system failure, not of permissions: too many
  /// open files, no memory, an I/O error, or a journal folder that cannot be opened.
  package func throwIfIncomplete(_ folder: JournalFolder) throws(FileError) {
    for entry in unreadable where entry.path == nil || FileError.isSystemFailure(entry.code) {
      throw FileError(.list, entry.path?.text ?? folder.root, code: entry.code)
    }
  }
}

extension FileError {
  /// True if the error is a temporary failure of the system, independent of the file.
  package var isSystemFailure: Bool {
    if case .system(let code) = reason { Self.isSystemFailure(code) } else { false }
  }

  fileprivate static func isSystemFailure(_ code: Int32) -> Bool {
    [EMFILE, ENFILE, ENOMEM, EIO].contains(code)
  }
}
