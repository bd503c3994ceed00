import DiaryCore
import EntryFiles

extension JournalFolder {
  /// Creates the file, unless its name is taken by now; answers whether it did.
  func creates(_ path: EntryPath, _ bytes: [UInt8], syncsName: Bool = true) throws -> Bool {
    try isFree { () throws(FileError) in try create(path, bytes, syncsName: syncsName) }
  }

  /// The same with the bytes of `scratch`.
  func creates(_ path: EntryPath, copying scratch: ScratchFile) throws -> Bool {
    try isFree { () throws(FileError) in try create(path, copying: scratch) }
  }

  /// Moves the file, unless the new name is taken by now; answers whether it did.
  func moves(
    _ path: EntryPath, to target: EntryPath, syncsNames: Bool = true
  ) throws -> Bool {
    try isFree { () throws(FileError) in try move(path, to: target, syncsNames: syncsNames) }
  }

  private func isFree(_ take: () throws(FileError) -> Void) throws -> Bool {
    do {
      try take()
      return true
    } catch {
      if error.isTaken { return false }
      throw error
    }
  }

  /// Whether something stands at the path.
  func has(_ path: EntryPath) -> Bool { ((try? stamp(path)) ?? nil) != nil }
}
