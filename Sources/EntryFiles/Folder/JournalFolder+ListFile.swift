import DiaryCore
import Glibc

/// The result of writing a list file.
package enum ListWriteResult: Sendable, Equatable {
  /// The list file was written.
  case written
  /// The list file already had this content and was not touched.
  case unchanged
  /// The file belongs to the user and was not changed (docs/format.md, "The list").
  case ownedByUser
}

extension JournalFolder {
  /// True if the file is a list file, by its first bytes. An unreadable file is not.
  func isListFile(_ path: EntryPath) -> Bool {
    guard let file = try? openToRead(path, for: .read),
      let status = try? status(of: file, displayPath: path.text), status.isRegular
    else { return false }
    var start = [UInt8](repeating: 0, count: 64)
    let count = retryOnInterrupt { pread(file.number, &start, 64, 0) }
    return count > 0 && ListFile.matches(start[..<count])
  }

  /// Writes a list file if its content changes. Never overwrites a file of the user.
  @discardableResult
  package func writeListFile(
    _ path: EntryPath, _ bytes: [UInt8]
  ) throws(FileError) -> ListWriteResult {
    for _ in 0..<4 {
      guard let current = try read(path) else {
        do {
          try create(path, bytes)
          return .written
        } catch {
          if case .away = error.reason { return .unchanged }
          // Another program created the file meanwhile: read it like any other.
          guard error.reason == .exists else { throw error }
          continue
        }
      }
      guard ListFile.matches(current.bytes[...]) else { return .ownedByUser }
      if current.bytes == bytes { return .unchanged }
      let outcome = try replace(
        path, expecting: current.bytes, with: bytes, allowPlainRename: true, syncsName: false)
      if case .replaced(let aside) = outcome {
        aside?.discard()
        return .written
      }
    }
    throw FileError(.write, path.text, .stillChanging)
  }
}
