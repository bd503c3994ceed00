import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc

extension Journal {
  /// What `diary new` made on this device for an editor, and the text it wrote; an entry that is still
  /// byte for byte this text is blank.
  var blankRecords: StateFile<[String: String]> {
    StateFile("blank.json", in: stateFolder, defaultValue: [:])
  }

  /// Those of them that the user gave a title or tags, and the process that waits for their editor:
  /// when it is gone without having judged them, they are entries, for they hold words of the user's.
  private var draftProcesses: StateFile<[String: Int32]> {
    StateFile("begun.json", in: stateFolder, defaultValue: [:])
  }

  /// The records, read once per use. Where they cannot be read no entry counts as blank: it is saved,
  /// and stays, which loses nothing.
  var blankEntries: [String: String] {
    let known = blankRecords.read()
    guard !known.isEmpty else { return known }
    let drafts = draftProcesses.read()
    return known.filter { path, _ in drafts[path].map { kill($0, 0) == 0 || errno == EPERM } ?? true
    }
  }

  /// Whether the file is one that `diary new` made and nobody has written in.
  func isBlank(_ path: EntryPath) async throws -> Bool {
    guard let text = blankEntries[path.text], let file = try folder.read(path) else { return false }
    guard Array(text.utf8) == file.bytes else { return false }
    return try await repository.trackedPaths(among: [path]).isEmpty
  }

  /// Remembers `bytes` as the blank state of `path`, or only as long as this process runs; `nil`
  /// forgets it.
  func recordBlank(_ bytes: [UInt8]?, at path: EntryPath, whileRunning: Bool = false) throws {
    if whileRunning || draftProcesses.read()[path.text] != nil {
      try draftProcesses.update { $0[path.text] = bytes == nil ? nil : getpid() }
    }
    guard bytes != nil || blankRecords.read()[path.text] != nil else { return }
    try blankRecords.update { $0[path.text] = bytes.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Removes the file of a blank entry, with a look that it is still blank.
  func removeBlank(_ path: EntryPath) throws {
    guard let text = blankEntries[path.text] else { return }
    let displaced = try folder.remove(
      path, expecting: Array(text.utf8), displacedDirectory: stateFolder)
    displaced?.discard()
    folder.removeEmptyFolders(above: path)
    try recordBlank(nil, at: path)
  }
}
