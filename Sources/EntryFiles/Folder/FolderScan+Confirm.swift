import DiaryCore
import Glibc

extension FolderScan {
  /// Refuses a walk that saw too little because of the machine, not because of what may be read: too
  /// many open files, no memory, a broken disk, or a journal's folder that cannot be opened at all.
  package func confirm(_ folder: JournalFolder) throws(FileError) {
    for place in unreadable where place.path == nil || FileError.isOfTheMachine(place.code) {
      throw FileError(.list, place.path?.text ?? folder.root, code: place.code)
    }
  }
}

extension FileError {
  /// Whether the machine is in the way for now, whatever file was asked for.
  package var isOfTheMachine: Bool {
    if case .system(let code) = reason { Self.isOfTheMachine(code) } else { false }
  }

  fileprivate static func isOfTheMachine(_ code: Int32) -> Bool {
    [EMFILE, ENFILE, ENOMEM, EIO].contains(code)
  }
}
