import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc

extension Journal {
  /// Removes stale state at the start of the watcher: records about removed files, and leftovers of
  /// a killed Diary process. The caller holds the lock.
  ///
  /// - Parameter walk: the scan of the folder, if the caller has just made one.
  func cleanUp(_ walk: FolderScan? = nil) async throws {
    try await removeStaleRecords()
    try await recoverTemporaryFiles(quietFor: 86_400, walk)
    removeTemporaryStateFiles()
  }

  /// Cleans up at a save, at most once a day, because many journals have no watcher. Errors are
  /// ignored and the cleanup is tried again later. The caller holds the lock.
  func cleanUpIfDue(_ walk: FolderScan? = nil) async {
    let last = StateFile<Int>("tidied.json", in: stateFolder, defaultValue: 0)
    let moment = now
    guard abs(moment - last.read()) > 86_400 else { return }
    guard (try? await cleanUp(walk)) != nil else { return }
    try? last.write(moment)
  }

  /// Removes records of blank entries that are removed or in HEAD, and of stamps no longer needed.
  private func removeStaleRecords() async throws {
    let blankPaths = blankEntries.keys.compactMap { EntryPath($0) }
    if !blankPaths.isEmpty {
      let known = try await repository.trackedPaths(among: blankPaths)
      let stale = blankPaths.filter { known.contains($0) || folder.presence(of: $0) == .absent }
      if !stale.isEmpty {
        try blankRecords.update { notes in for path in stale { notes[path.text] = nil } }
      }
    }
    let queued = try queuedStamps.load()
    let remaining = queued.filter { EntryPath($0.path).map(stillNeedsStamp) ?? false }
    if remaining.count < queued.count { try queuedStamps.write(remaining) }
  }

  /// Removes temporary state files of processes that were killed before the rename.
  private func removeTemporaryStateFiles() {
    for folder in [stateFolder, stateFolder + "/cache"] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      for name in names {
        let parts = name.split(separator: ".")
        guard parts.count == 3, parts[1] == "json", let process = Int32(parts[2]), process > 0,
          kill(process, 0) != 0, errno == ESRCH
        else { continue }
        unlink(folder + "/" + name)
      }
    }
  }

  /// Moves the pending weather of entries that moved to their new paths.
  func moveQueuedStamps(_ moves: [EntryPath: EntryPath]) throws {
    guard !moves.isEmpty else { return }
    let targets = Dictionary(moves.map { ($0.text, $1.text) }) { first, _ in first }
    guard try queuedStamps.load().contains(where: { targets[$0.path] != nil }) else { return }
    try queuedStamps.update { owed in
      for index in owed.indices {
        if let target = targets[owed[index].path] { owed[index].path = target }
      }
    }
  }

  /// Removes temporary files of a Diary process that was killed during a write. One may hold the
  /// only copy of an editor's text, so its content is saved as a version in the history first.
  func recoverTemporaryFiles(quietFor seconds: Int, _ walk: FolderScan? = nil) async throws {
    try await recoverTemporaryFiles(of: folder, walk, quietFor: seconds)
    if let stateFiles = try? JournalFolder(root: stateFolder) {
      try await recoverTemporaryFiles(of: stateFiles, nil, quietFor: seconds)
    }
  }

  private func recoverTemporaryFiles(
    of folder: JournalFolder, _ walk: FolderScan?, quietFor seconds: Int
  ) async throws {
    let walk = walk ?? folder.scan(EntryMatcher(settings: settings))
    for file in walk.staleTempFiles {
      guard folder.isAbandoned(file.path, for: seconds),
        OpenFiles.openPaths(among: [file.path], root: folder.root).isEmpty,
        let text = (try? folder.read(file.path)) ?? nil
      else { continue }
      if !text.bytes.isEmpty {
        let moment = now
        let minutes = utcOffset(at: moment) / 60
        let message = "Keep what an interrupted write left in \(file.path.text)"
        let write = FileChange.write(file.path, text.bytes, executable: false)
        _ = try await repository.save([write], message: message, at: moment, offsetMinutes: minutes)
        _ = try await repository.save(
          [.delete(file.path)], message: message, at: moment, offsetMinutes: minutes)
      }
      _ = try? folder.remove(file.path, expecting: text.bytes)
    }
  }
}
