import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import Localization

extension Saver {
  /// Removes stale state at the start of the watcher: records about removed files, and leftovers of
  /// a killed Diary process.
  ///
  /// - Parameter walk: the scan of the folder, if the caller has just made one.
  func cleanUp(_ walk: FolderScan? = nil) async throws {
    try await removeStaleRecords()
    try await refreshKnownFolders()
    try await recoverTemporaryFiles(
      walk ?? journal.folder.scan(EntryMatcher(settings: journal.settings)))
    removeTemporaryStateFiles()
  }

  /// Cleans up at a save, at most once a day, because many journals have no watcher. Errors are
  /// ignored and the cleanup is tried again later.
  func cleanUpIfDue(_ walk: FolderScan? = nil) async {
    let moment = journal.now
    guard abs(moment - journal.state.upkeep.read().cleanedUp) > 86_400 else { return }
    guard (try? await cleanUp(walk)) != nil else { return }
    try? update(journal.state.upkeep) { $0.cleanedUp = moment }
  }

  /// Removes records of blank entries that are removed or in HEAD, and of stamps no longer needed.
  private func removeStaleRecords() async throws {
    let blankPaths = journal.changes.blankEntries.keys.compactMap { EntryPath($0) }
    if !blankPaths.isEmpty {
      let known = try await journal.repository.trackedPaths(among: blankPaths)
      let stale = blankPaths.filter {
        known.contains($0) || journal.folder.presence(of: $0) == .absent
      }
      if !stale.isEmpty {
        try update(journal.state.blanks) { notes in
          for path in stale { notes[path.text] = nil }
        }
      }
    }
    let queued = try journal.state.queuedStamps.load()
    guard !queued.isEmpty else { return }
    // An absent file that is saved may have moved: the next save decides.
    let saved = try await journal.repository.savedBlobs(
      at: queued.compactMap { EntryPath($0.path) })
    let remaining = queued.filter { stamp in
      guard let path = EntryPath(stamp.path) else { return false }
      return journal.weather.stillNeedsStamp(path)
        || saved[path] != nil && journal.folder.presence(of: path) == .absent
    }
    if remaining.count < queued.count { try journal.state.queuedStamps.write(remaining) }
  }

  /// Removes temporary state files of processes that were killed before the rename.
  private func removeTemporaryStateFiles() {
    for folder in [journal.stateFolder, journal.stateFolder + "/cache"] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
        let parts = name.split(separator: ".")
        guard parts.count == 3, parts[1] == "json",
          let process = Int32(parts[2].prefix { $0 != "-" }), process > 0,
          kill(process, 0) != 0, errno == ESRCH
        else { continue }
        unlink(folder + "/" + name)
      }
    }
  }

  /// Removes temporary files of killed Diary processes: those in the private state, and those that
  /// a scan of the folder found. One may hold the only copy of an editor's text, so its content is
  /// first saved as a version, unless the history has it.
  ///
  /// - Parameter seconds: the age that a file without a process must have.
  func recoverTemporaryFiles(_ walk: FolderScan? = nil, quietFor seconds: Int = 2) async throws {
    let leftovers = try journal.changes.leftovers(in: walk, quietFor: seconds)
      .filter { !$0.isOpen }
    guard !leftovers.isEmpty else { return }
    try await saveLeftovers(try await journal.changes.unsaved(leftovers))
    for file in leftovers { _ = try? file.folder.remove(file.path, expecting: file.bytes) }
  }

  /// Saves the content of leftovers at their own names, which the next save removes again.
  private func saveLeftovers(_ files: [Leftover]) async throws {
    guard !files.isEmpty else { return }
    let names = files.prefix(5).map(\.path.text) + (files.count > 5 ? ["…"] : [])
    let message = "Keep what an interrupted write left in " + names.joined(separator: ", ")
    let (moment, minutes) = (journal.now, journal.utcOffset(at: journal.now) / 60)
    for changes: [FileChange] in [
      files.map { .write($0.path, $0.bytes, executable: false) }, files.map { .delete($0.path) },
    ] {
      _ = try await journal.repository.save(
        changes, message: message, at: moment, offsetMinutes: minutes)
    }
  }
}

extension FolderChanges {
  /// The temporary files of killed Diary processes: those in the private state, and those that a
  /// scan of the folder found.
  func leftovers(in walk: FolderScan?, quietFor seconds: Int) throws -> [Leftover] {
    try displacedFiles(quietFor: seconds)
      + abandonedFiles(
        walk?.staleTempFiles.map(\.path) ?? [], in: journal.folder, quietFor: seconds)
  }

  /// The files that killed Diary processes displaced and did not discard.
  func displacedFiles(quietFor seconds: Int) throws -> [Leftover] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: journal.stateFolder)) ?? []
    let paths = names.filter { $0.hasPrefix(".diary-") }.compactMap { EntryPath($0) }
    guard !paths.isEmpty else { return [] }
    do {
      return abandonedFiles(
        paths, in: try JournalFolder(root: journal.stateFolder), quietFor: seconds)
    } catch {
      throw DiaryError(error)
    }
  }

  private func abandonedFiles(
    _ paths: [EntryPath], in folder: JournalFolder, quietFor seconds: Int
  ) -> [Leftover] {
    let abandoned = paths.filter {
      folder.isAbandoned($0, for: seconds) && !folder.isInsideForeignFolder($0)
    }
    guard !abandoned.isEmpty else { return [] }
    let open = OpenFiles.openPaths(among: abandoned, root: folder.root)
    return abandoned.compactMap { path in
      ((try? folder.read(path)) ?? nil).map {
        Leftover(folder: folder, path: path, bytes: $0.bytes, isOpen: open.contains(path))
      }
    }
  }

  /// The leftovers with content that no version has, one for each content.
  func unsaved(_ leftovers: [Leftover]) async throws -> [Leftover] {
    var unsaved: [ObjectID: Leftover] = [:]
    for file in leftovers where !file.bytes.isEmpty {
      unsaved[try await journal.repository.blobID(of: file.bytes, at: file.path)] = file
    }
    if unsaved.isEmpty { return [] }
    for id in try await journal.repository.reachable(Set(unsaved.keys)) { unsaved[id] = nil }
    return unsaved.values.sorted { $0.path < $1.path }
  }
}

/// A temporary file that a killed Diary process left.
struct Leftover: Sendable {
  let folder: JournalFolder
  let path: EntryPath
  let bytes: [UInt8]
  /// True if another program still has it open, so that it may write to it.
  let isOpen: Bool

  /// The reason it is not saved, as the remainder of a sentence that begins with the path.
  var reason: String {
    isOpen
      ? localized("has text of an interrupted write, and a program has it open")
      : localized("has text of an interrupted write; `diary save` adds it to the history")
  }
}
