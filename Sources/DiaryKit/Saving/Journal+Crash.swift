import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import Localization

extension Journal {
  /// Whether a file looks as a crash of the machine leaves it: empty or nothing but NULs, and not
  /// written since the machine was started. File systems that put off writing keep the
  /// size or the name, and lose the bytes.
  func isLikelyCrashDamage(_ file: FileContents) -> Bool {
    guard file.bytes.allSatisfy({ $0 == 0 }) else { return false }
    let bootTime = Int(time(nil)) - Int(Autosave.monotonicNow / 1_000_000_000)
    return Int(file.signature.modified / 1_000_000_000) < bootTime
  }

  /// Whether the last version that is kept of the path says anything.
  func hasSavedContent(_ path: EntryPath) async throws -> Bool {
    try await repository.savedContent(path)?.contains { $0 != 0 } ?? false
  }

  /// The file as a sitting may commit it; one that is half written, or that a crash has emptied,
  /// stays pending with the words that were saved of it.
  func contentToCommit(_ path: EntryPath) throws -> FileContents? {
    if folder.hasFolder(path) { return nil }
    guard let file = try folder.read(path) else { return nil }
    guard file.isConsistent else { throw DiaryError(localized("\(path.text) is being written")) }
    if !file.bytes.isEmpty, isLikelyCrashDamage(file) {
      throw DiaryError(localized("\(path.text) was emptied when the machine stopped"))
    }
    return file
  }
}
