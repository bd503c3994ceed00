import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc

extension Journal {
  /// What `diary new` made on this device for an editor, and the text it wrote; an entry that is still
  /// byte for byte this text is blank.
  var blanks: StateFile<[String: String]> {
    StateFile("blank.json", in: stateFolder, empty: [:])
  }

  /// Those of them that the user gave a title or tags, and the process that waits for their editor:
  /// when it is gone without having judged them, they are entries, for they hold words of the user's.
  private var begunBy: StateFile<[String: Int32]> {
    StateFile("begun.json", in: stateFolder, empty: [:])
  }

  /// The records, read once per use. Where they cannot be read no entry counts as blank: it is saved,
  /// and stays, which loses nothing.
  var blankEntries: [String: String] {
    let known = blanks.read()
    guard !known.isEmpty else { return known }
    let begun = begunBy.read()
    return known.filter { path, _ in begun[path].map { kill($0, 0) == 0 || errno == EPERM } ?? true
    }
  }

  /// Whether the file is one that `diary new` made and nobody has written in.
  func isBlank(_ path: EntryPath) async throws -> Bool {
    guard let text = blankEntries[path.text], let file = try folder.read(path) else { return false }
    guard Array(text.utf8) == file.bytes else { return false }
    return try await repository.known([path]).isEmpty
  }

  /// Remembers `bytes` as the blank state of `path`, or only as long as this process runs; `nil`
  /// forgets it.
  func remember(blank bytes: [UInt8]?, at path: EntryPath, whileRunning: Bool = false) throws {
    if whileRunning || begunBy.read()[path.text] != nil {
      try begunBy.change { $0[path.text] = bytes == nil ? nil : getpid() }
    }
    guard bytes != nil || blanks.read()[path.text] != nil else { return }
    try blanks.change { $0[path.text] = bytes.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Removes the file of a blank entry, with a look that it is still blank.
  func removeBlank(_ path: EntryPath) throws {
    guard let text = blankEntries[path.text] else { return }
    let aside = try folder.remove(path, expecting: Array(text.utf8), asideDirectory: stateFolder)
    aside?.discard()
    folder.removeEmptyFolders(above: path)
    try remember(blank: nil, at: path)
  }
}
