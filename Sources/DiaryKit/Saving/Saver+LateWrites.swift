import DiaryCore
import EntryFiles
import GitHistory

extension Saver {
  /// Discards displaced files after a save. Text that an editor wrote into one meanwhile is saved
  /// first.
  func discard(
    _ displaced: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])]
  ) async throws {
    var hasLateText = false
    for (path, file, wrote) in displaced where !file.discard() {
      guard !file.isBeingWritten, let late = try file.bytesWrittenAfterReplace(), !late.isEmpty
      else { continue }
      let (_, next) = try await mergeLateWrite(late, at: path, replacement: wrote)
      file.discard(saved: late)
      next?.file.discard()
      hasLateText = true
    }
    guard hasLateText, journal.runningWatcher == nil else { return }
    var outcome = SaveOutcome()
    try await endSitting(into: &outcome)
  }

  /// Saves text that an editor wrote into a file that Diary had just displaced. The text becomes
  /// a version, and is written to the path again with the stamp of the replacement.
  ///
  /// - Parameter replacement: the bytes that Diary wrote. If the file differs by now, it was
  ///   saved again, and the late text is only a version in the history.
  /// - Returns: the outcome, and the file that was displaced this time with its replacement.
  func mergeLateWrite(
    _ late: [UInt8], at path: EntryPath, replacement: [UInt8]
  ) async throws -> (SaveOutcome, (file: DisplacedFile, wrote: [UInt8])?) {
    let file = try journal.folder.read(path)
    // Late text of a file that a sync replaced is an old buffer: it is saved by the merge.
    let name = journal.checkouts.checkoutName(path)
    var isKept = try !journal.state.checkouts.load().contains { $0.name == name }
    if isKept { try await keepVersion(late, of: path) }
    var next: (file: DisplacedFile, wrote: [UInt8])?
    if file?.bytes == replacement {
      var text = EntryText(late)
      let stamped = EntryText(replacement)
      for key in ["date", "weather"] where text.value(key) == nil {
        if let value = stamped.value(key) { try? text.set(key, value) }
      }
      let replaced = try journal.folder.replace(
        path, expecting: replacement, with: text.bytes, displacedDirectory: journal.stateFolder,
        allowPlainRename: false)
      if case .replaced(let displaced) = replaced {
        isKept = true
        next = displaced.map { ($0, text.bytes) }
      }
    }
    if !isKept { try await keepVersion(late, of: path) }
    return (try await saveChanges(try await collectChanges([path], atStart: false)), next)
  }

  /// Keeps the bytes as a version in the history of a file. The file's saved state stays as it is: a
  /// later save is compared with it.
  func keepVersion(_ bytes: [UInt8], of path: EntryPath) async throws {
    try await keepVersions([(path, bytes)])
  }

  /// As ``keepVersion(_:of:)``, for several files.
  func keepVersions(
    _ versions: [(path: EntryPath, bytes: [UInt8])], message: String? = nil
  ) async throws {
    let saved = try await journal.repository.savedFiles(at: versions.map(\.path))
    var (kept, former): ([FileChange], [FileChange]) = ([], [])
    for (path, bytes) in versions {
      let file = saved[path]
      let isExecutable = file?.isExecutable ?? false
      kept.append(.write(path, bytes, executable: isExecutable))
      guard let file else {
        former.append(.delete(path))
        continue
      }
      let content = try await journal.repository.content(of: file.id, as: path)
      former.append(.write(path, content, executable: isExecutable))
    }
    if try await !writeSave(kept, message: message).isEmpty { _ = try await writeSave(former) }
  }
}
