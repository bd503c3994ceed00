import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// A stamp that could not be fetched when it was due.
struct QueuedStamp: Codable, Sendable, Hashable {
  var path: String
  /// Unix seconds of the moment it tells of.
  var moment: Int
}

extension Journal {
  /// Stamps that wait for a network, in the order they came.
  var queuedStamps: StateFile<[QueuedStamp]> {
    StateFile("owed.json", in: stateFolder, defaultValue: [])
  }

  /// Stamps that wait for an editor to let go, by path.
  var pendingStamps: StateFile<[String: PendingStamp]> {
    StateFile("stamps.json", in: stateFolder, defaultValue: [:])
  }

  /// Remembers that `path` lacks its weather.
  func queueStamp(_ path: EntryPath, moment: Int) async throws {
    try await withJournalLock {
      try self.queuedStamps.update { owed in
        owed.removeAll { $0.path == path.text }
        owed.append(QueuedStamp(path: path.text, moment: moment))
      }
    }
  }

  /// Whether the entry's weather is unsaid: a stamp never replaces what a person wrote, and `none`
  /// declines.
  func needsWeather(_ path: EntryPath) -> Bool {
    guard let file = (try? folder.read(path)) ?? nil else { return false }
    return needsWeather(file)
  }

  func needsWeather(_ file: FileContents) -> Bool {
    EntryText(file.bytes).value("weather") == nil
  }

  /// Which of the paths are entries that somebody has just begun: unknown to the repository, dated
  /// now, of a length that somebody may have written, and not one of a crowd that a copy or an import
  /// brought. Asked before they are saved, which makes them known.
  func newEntries(among paths: [EntryPath], in scan: SaveScan) async throws -> [EntryPath] {
    guard stampedFiles == .all else { return [] }
    let entries = paths.filter { scan.candidates[$0]?.kind == .entry }
    let known = try await repository.trackedPaths(among: entries)
    let saved = Set(scan.pending.map(\.path))
    let fresh = entries.filter { !known.contains($0) && !saved.contains($0) }
    guard fresh.count <= 3 else { return [] }
    return fresh.filter { path in
      guard scan.blanks[path.text] == nil, let file = scan.candidates[path]?.file,
        !file.bytes.isEmpty, file.signature.size <= maxEntryBytes
      else { return false }
      return isRecent(path, file)
    }
  }

  /// Whether the entry's date, or without one the file's own time, lies within a day of now.
  private func isRecent(_ path: EntryPath, _ file: FileContents) -> Bool {
    let text = EntryText(file.bytes)
    guard text.encoding == .utf8, text.headerKind == .yaml || text.headerKind == .none else {
      return false
    }
    let entry = Entry(path: path, text: text, settings: settings, zone: zone)
    if let date = entry.date {
      return abs(date.instant - now) <= 86_400 || date.date == today
    }
    return abs(Int(file.signature.modified / 1_000_000_000) - now) <= 86_400
  }

  /// Writes date and weather into an entry that lacks them, touching no other byte. The caller holds
  /// the lock. `nil`: there was nothing to write, or the file is not one that may be written.
  ///
  /// - Parameter plainRename: a command the writer ran may replace a file where the file system cannot
  ///   exchange two names; the watcher may not.
  func writeStamp(
    _ path: EntryPath, moment: Int, weather: String?, allowsPlainRename: Bool
  ) throws -> (bytes: [UInt8], aside: DisplacedFile?)? {
    for _ in 0..<5 {
      guard let file = try folder.read(path) else { return nil }
      var text = EntryText(file.bytes)
      guard text.encoding == .utf8 else { return nil }
      let entry = Entry(path: path, text: text, settings: settings, zone: zone)
      do {
        if entry.date == nil, let date = EntryDate(instant: moment, offset: utcOffset(at: moment)) {
          try text.set("date", .text(date.description))
        }
        if let weather, text.value("weather") == nil { try text.set("weather", .text(weather)) }
      } catch {
        return nil
      }
      guard text.bytes != file.bytes else { return nil }
      let replaced: ReplaceResult
      do {
        replaced = try folder.replace(
          path, expecting: file.bytes, with: text.bytes, displacedDirectory: stateFolder,
          allowPlainRename: allowsPlainRename)
      } catch {
        // A stamp is not worth parting the file from its other names.
        if error.reason == .hardLinked { return nil }
        throw error
      }
      if case .replaced(let displaced) = replaced { return (text.bytes, displaced) }
    }
    return nil
  }

  /// Takes in what an editor wrote into the file that a stamp had just exchanged away: the words are
  /// kept as a version, and put in place with the stamp in them again.
  ///
  /// - Parameter wrote: what the stamp wrote; if the file holds anything else by now, somebody has
  ///   saved it anew, and the late words stay a version of the history.
  ///
  /// Answers also what came out this time, and what stands in its place.
  func mergeLateWrite(
    _ late: [UInt8], at path: EntryPath, replacement: [UInt8]
  ) async throws -> (SaveOutcome, (file: DisplacedFile, wrote: [UInt8])?) {
    let file = try folder.read(path)
    let isExecutable = file?.signature.isExecutable ?? false
    let version = FileChange.write(path, late, executable: isExecutable)
    // The words of a file that a sync replaced are a late save: they are kept when they are merged.
    let hasPendingCheckout = try checkoutRecords.load().contains {
      $0.path == gitLocation.repositoryPath(path)
    }
    var isSaved = !hasPendingCheckout
    if isSaved { _ = try await writeSave([version]) }
    var next: (file: DisplacedFile, wrote: [UInt8])?
    if file?.bytes == replacement {
      var text = EntryText(late)
      let stamped = EntryText(replacement)
      for key in ["date", "weather"] where text.value(key) == nil {
        if let value = stamped.value(key) { try? text.set(key, value) }
      }
      let replaced = try folder.replace(
        path, expecting: replacement, with: text.bytes, displacedDirectory: stateFolder,
        allowPlainRename: false)
      if case .replaced(let displaced) = replaced {
        isSaved = true
        next = displaced.map { ($0, text.bytes) }
      }
    }
    if !isSaved { _ = try await writeSave([version]) }
    return (try await save(try await collectChanges([path], atStart: false)), next)
  }

  /// Fetches and writes the stamps that are owed, where `mayWrite` allows it and no one holds the
  /// file. Answers what was written, and whether some are left.
  @discardableResult
  package func fillQueuedStamps(
    _ mayWrite: (EntryPath) -> Bool = { _ in true }
  ) async throws -> (written: [EntryPath], left: Bool) {
    let queued = try queuedStamps.load()
    guard !queued.isEmpty, canFetchWeather else { return ([], false) }
    guard try weatherBackoff.load().notBefore <= now else { return ([], true) }
    var written: [EntryPath] = []
    var finished: Set<QueuedStamp> = []
    for stamp in queued {
      guard let path = EntryPath(stamp.path), stillNeedsStamp(path) else {
        finished.insert(stamp)
        continue
      }
      // A blank entry is known by its very bytes, and nobody can say yet that it will stay.
      guard mayWrite(path), blankEntries[path.text] == nil, !isOpenInEditor(path),
        let weather = try? await weatherText(at: stamp.moment, for: path, seconds: 10)
      else { continue }
      let stamped = try await withJournalLock {
        let stamped = try self.writeStamp(
          path, moment: stamp.moment, weather: weather, allowsPlainRename: false)
        if stamped != nil { _ = try await self.saveCommandChanges([path]) }
        return stamped != nil
      }
      if stamped { written.append(path) }
      finished.insert(stamp)
    }
    let removable = finished
    if !removable.isEmpty {
      try await withJournalLock {
        try self.queuedStamps.update { $0.removeAll { removable.contains($0) } }
      }
    }
    return (written, removable.count < queued.count)
  }

  /// Whether the entry is there and lacks its weather, or cannot be seen just now.
  func stillNeedsStamp(_ path: EntryPath) -> Bool {
    switch folder.presence(of: path) {
    case .present: needsWeather(path)
    case .absent: false
    case .unknown: true
    }
  }

  /// Whether a swap or lock file stands beside the entry that no killed editor left behind.
  func hasEditorLockFile(_ path: EntryPath) -> Bool {
    EditorLockFiles.lockFiles(of: path, in: folder).contains { $0.owner != .notRunning }
  }

  /// Whether an editor is known to hold the file: its lock file stands beside it, or it is open.
  func isOpenInEditor(_ path: EntryPath) -> Bool {
    hasEditorLockFile(path)
      || !OpenFiles.openPaths(among: [path], root: root).isEmpty
  }
}
