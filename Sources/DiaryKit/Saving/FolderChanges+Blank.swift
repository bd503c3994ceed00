import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc

extension FolderChanges {
  /// The blank entries, read once per use. If the records cannot be read, no entry counts as blank:
  /// each one is saved and nothing is lost.
  var blankEntries: [String: String] {
    let known = journal.state.blanks.read()
    guard !known.isEmpty else { return known }
    let drafts = journal.state.drafts.read()
    return known.filter { path, _ in drafts[path].map { kill($0, 0) == 0 || errno == EPERM } ?? true
    }
  }

  /// True if `diary new` created the file and it is neither changed nor in the repository.
  func isBlank(_ path: EntryPath) async throws -> Bool {
    guard let text = blankEntries[path.text], let file = try journal.folder.read(path) else {
      return false
    }
    guard Array(text.utf8) == file.bytes else { return false }
    return try await journal.repository.trackedPaths(among: [path]).isEmpty
  }
}

extension Saver {
  /// Records `bytes` as the blank text of `path`; `nil` removes the record. With `whileRunning`,
  /// the record is valid only while this process runs.
  func recordBlank(_ bytes: [UInt8]?, at path: EntryPath, whileRunning: Bool = false) throws {
    if whileRunning || journal.state.drafts.read()[path.text] != nil {
      try update(journal.state.drafts) { $0[path.text] = bytes == nil ? nil : getpid() }
    }
    guard bytes != nil || journal.state.blanks.read()[path.text] != nil else { return }
    try update(journal.state.blanks) {
      $0[path.text] = bytes.map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Removes the file of a blank entry, after a check that it is still blank.
  func removeBlank(_ path: EntryPath) throws {
    guard let text = journal.changes.blankEntries[path.text] else { return }
    let displaced = try journal.folder.remove(
      path, expecting: Array(text.utf8), displacedDirectory: journal.stateFolder)
    displaced?.discard()
    journal.folder.removeEmptyFolders(above: path)
    try recordBlank(nil, at: path)
  }
}
