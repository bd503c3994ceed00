import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import Localization

extension FolderChanges {
  /// True if a file looks as after a crash of the machine: empty or only NUL bytes, and not written
  /// since the boot. File systems that delay writes may keep the size or the name and lose the
  /// bytes.
  func isLikelyCrashDamage(_ file: FileContents) -> Bool {
    guard file.bytes.allSatisfy({ $0 == 0 }) else { return false }
    let bootTime = Int(time(nil)) - Int(MonotonicTime.now / 1_000_000_000)
    return Int(file.signature.modified / 1_000_000_000) < bootTime
  }

  /// True if the last saved version of the path is not empty and not only NUL bytes.
  func hasSavedContent(_ path: EntryPath) async throws -> Bool {
    try await journal.repository.savedContent(path)?.contains { $0 != 0 } ?? false
  }

  /// The file as a sitting may commit it. Throws for a file that is being written or that a crash
  /// has emptied: it stays pending with its last saved text.
  func contentToCommit(_ path: EntryPath) throws -> FileContents? {
    if journal.folder.hasFolder(path) { return nil }
    guard let file = try journal.folder.read(path) else { return nil }
    guard file.isConsistent else { throw DiaryError(localized("\(path.text) is being written")) }
    if !file.bytes.isEmpty, isLikelyCrashDamage(file) {
      throw DiaryError(localized("\(path.text) was emptied by a system crash"))
    }
    return file
  }
}
