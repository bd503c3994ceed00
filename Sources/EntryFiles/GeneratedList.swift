import DiaryCore
import Glibc

/// How writing a list of Diary's own went.
package enum ListWriteResult: Sendable, Equatable {
  /// The list stands as given.
  case written
  /// It stood so already; nothing was touched.
  case unchanged
  /// The file is the writer's, and was left alone (docs/format.md, "The list").
  case ownedByUser
}

extension EntryMatcher {
  /// The first line of every list that Diary made (`INDEX.md`).
  package static let listMarker = "<!-- made by diary; edits are lost -->"

  /// Whether a file begins with the line that marks Diary's own lists; a BOM before it and CRLF
  /// after it are let pass.
  package static func isGeneratedList(_ bytes: ArraySlice<UInt8>) -> Bool {
    let bom: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: bom) ? bytes.dropFirst(3) : bytes
    guard text.starts(with: listMarker.utf8) else { return false }
    let next = text.dropFirst(listMarker.utf8.count).first
    return next == nil || next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
  }
}

extension JournalFolder {
  /// Whether the file is a list that Diary made; its first bytes are read. What cannot be read is
  /// not one.
  package func isGeneratedList(_ path: EntryPath) -> Bool {
    guard let file = try? openToRead(path, for: .read),
      let status = try? status(of: file, displayPath: path.text), status.isRegular
    else { return false }
    var start = [UInt8](repeating: 0, count: 64)
    let count = retryOnInterrupt { pread(file.number, &start, 64, 0) }
    return count > 0 && EntryMatcher.isGeneratedList(start[..<count])
  }

  /// Writes a list of Diary's own, if that changes anything, and never over a file of the writer's.
  @discardableResult
  package func writeGeneratedList(
    _ path: EntryPath, _ bytes: [UInt8]
  ) throws(FileError) -> ListWriteResult {
    for _ in 0..<4 {
      guard let current = try read(path) else {
        do {
          try create(path, bytes)
          return .written
        } catch {
          // Somebody made the file since: it is looked at like any other.
          guard error.reason == .exists else { throw error }
          continue
        }
      }
      guard EntryMatcher.isGeneratedList(current.bytes[...]) else { return .ownedByUser }
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
