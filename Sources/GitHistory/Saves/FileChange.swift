import DiaryCore

/// The state of one file that is to be saved.
package enum FileChange: Sendable, Equatable {
  /// The file has these bytes.
  case write(EntryPath, [UInt8], executable: Bool)
  /// The file was deleted on purpose.
  case delete(EntryPath)

  package var path: EntryPath {
    switch self {
    case .write(let path, _, _), .delete(let path): path
    }
  }

  /// True if the file was deleted.
  package var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// A path that is saved on the saves ref and not yet committed to the branch.
package struct PendingPath: Sendable, Equatable {
  package let path: EntryPath
  /// True if the saved state is a deletion.
  package let isDeletion: Bool
}
