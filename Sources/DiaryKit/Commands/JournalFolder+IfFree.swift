import DiaryCore
import EntryFiles

extension JournalFolder {
  /// Creates the file unless its name is taken. Returns true if it was created.
  func createIfFree(
    _ path: EntryPath, _ bytes: [UInt8], isExecutable: Bool = false, syncsName: Bool = true
  ) throws -> Bool {
    try runIfFree { () throws(FileError) in
      try create(path, bytes, mode: isExecutable ? 0o777 : 0o666, syncsName: syncsName)
    }
  }

  /// Creates the file with the bytes of `scratch` unless its name is taken.
  func createIfFree(_ path: EntryPath, copying scratch: ScratchFile) throws -> Bool {
    try runIfFree { () throws(FileError) in try create(path, copying: scratch) }
  }

  /// Moves the file unless the new name is taken. Returns true if it was moved.
  func moveIfFree(
    _ path: EntryPath, to target: EntryPath, syncsNames: Bool = true
  ) throws -> Bool {
    try runIfFree { () throws(FileError) in try move(path, to: target, syncsNames: syncsNames) }
  }

  private func runIfFree(_ action: () throws(FileError) -> Void) throws -> Bool {
    do {
      try action()
      return true
    } catch {
      if error.isNameTaken { return false }
      throw error
    }
  }

  /// True if a regular file is at the path.
  func hasFile(_ path: EntryPath) -> Bool { ((try? signature(of: path)) ?? nil) != nil }
}
