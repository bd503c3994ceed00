import DiaryCore
import Glibc

extension FolderScan {
  /// Refuses a walk that saw too little because of the machine, not because of what may be read: too
  /// many open files, no memory, a broken disk, or a journal's folder that cannot be opened at all.
  package func throwIfIncomplete(_ folder: JournalFolder) throws(FileError) {
    for entry in unreadable where entry.path == nil || FileError.isSystemFailure(entry.code) {
      throw FileError(.list, entry.path?.text ?? folder.root, code: entry.code)
    }
  }
}

extension FileError {
  /// Whether the machine is in the way for now, whatever file was asked for.
  package var isSystemFailure: Bool {
    if case .system(let code) = reason { Self.isSystemFailure(code) } else { false }
  }

  fileprivate static func isSystemFailure(_ code: Int32) -> Bool {
    [EMFILE, ENFILE, ENOMEM, EIO].contains(code)
  }
}
