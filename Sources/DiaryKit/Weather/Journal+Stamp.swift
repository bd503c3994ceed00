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
  var owed: StateFile<[QueuedStamp]> { StateFile("owed.json", in: stateFolder, empty: []) }

  /// Stamps that wait for an editor to let go, by path.
  var waitingStamps: StateFile<[String: PendingStamp]> {
    StateFile("stamps.json", in: stateFolder, empty: [:])
  }

  /// Remembers that `path` lacks its weather.
  func owe(_ path: EntryPath, moment: Int) async throws {
    try await exclusively {
      try self.owed.change { owed in
        owed.removeAll { $0.path == path.text }
        owed.append(QueuedStamp(path: path.text, moment: moment))
      }
    }
  }

  /// Whether the entry's weather is unsaid: a stamp never replaces what a person wrote, and `none`
  /// declines.
  func wantsWeather(_ path: EntryPath) -> Bool {
    guard let file = (try? folder.read(path)) ?? nil else { return false }
    return wantsWeather(file)
  }

  func wantsWeather(_ file: FileContents) -> Bool {
    EntryText(file.bytes).value("weather") == nil
  }

  /// Which of the paths are entries that somebody has just begun: unknown to the repository, dated
  /// now, of a length that somebody may have written, and not one of a crowd that a copy or an import
  /// brought. Asked before they are saved, which makes them known.
  func newEntries(among paths: [EntryPath], in scan: SaveScan) async throws -> [EntryPath] {
    guard stampedFiles == .all else { return [] }
    let entries = paths.filter { scan.candidates[$0]?.kind == .entry }
    let known = try await repository.known(entries)
    let saved = Set(scan.pending.map(\.path))
    let fresh = entries.filter { !known.contains($0) && !saved.contains($0) }
    guard fresh.count <= 3 else { return [] }
    return fresh.filter { path in
      guard scan.blanks[path.text] == nil, let file = scan.candidates[path]?.file,
        !file.bytes.isEmpty, file.stamp.size <= largestListed
      else { return false }
      return isOfNow(path, file)
    }
  }

  /// Whether the entry's date, or without one the file's own time, lies within a day of now.
  private func isOfNow(_ path: EntryPath, _ file: FileContents) -> Bool {
    let text = EntryText(file.bytes)
    guard text.encoding == .utf8, text.headerKind == .yaml || text.headerKind == .none else {
      return false
    }
    let entry = Entry(path: path, text: text, settings: settings, zone: zone)
    if let date = entry.date {
      return abs(date.instant - now) <= 86_400 || date.date == today
    }
    return abs(Int(file.stamp.modified / 1_000_000_000) - now) <= 86_400
  }

  /// Writes date and weather into an entry that lacks them, touching no other byte. The caller holds
  /// the lock. `nil`: there was nothing to write, or the file is not one that may be written.
  ///
  /// - Parameter plainRename: a command the writer ran may replace a file where the file system cannot
  ///   exchange two names; the watcher may not.
  func writeStamp(
    _ path: EntryPath, moment: Int, weather: String?, plainRename: Bool
  ) throws -> (bytes: [UInt8], aside: DisplacedFile?)? {
    for _ in 0..<5 {
      guard let file = try folder.read(path) else { return nil }
      var text = EntryText(file.bytes)
      guard text.encoding == .utf8 else { return nil }
      let entry = Entry(path: path, text: text, settings: settings, zone: zone)
      do {
        if entry.date == nil, let date = EntryDate(instant: moment, offset: offset(at: moment)) {
          try text.set("date", .text(date.description))
        }
        if let weather, text.value("weather") == nil { try text.set("weather", .text(weather)) }
      } catch {
        return nil
      }
      guard text.bytes != file.bytes else { return nil }
      let replaced: Replacement
      do {
        replaced = try folder.replace(
          path, expecting: file.bytes, with: text.bytes, asideDirectory: stateFolder,
          allowPlainRename: plainRename)
      } catch {
        // A stamp is not worth parting the file from its other names.
        if error.reason == .linked { return nil }
        throw error
      }
      if case .done(let aside) = replaced { return (text.bytes, aside) }
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
  func takeIn(
    late: [UInt8], at path: EntryPath, wrote: [UInt8]
  ) async throws -> (SaveOutcome, (file: DisplacedFile, wrote: [UInt8])?) {
    let file = try folder.read(path)
    let isExecutable = file?.stamp.isExecutable ?? false
    let version = FileChange.write(path, late, executable: isExecutable)
    // The words of a file that a sync replaced are a late save: they are kept when they are merged.
    let isNoted = try pendingCheckouts.load().contains { $0.path == gitLocation.inRepository(path) }
    var isKept = !isNoted
    if isKept { _ = try await keepNow([version]) }
    var next: (file: DisplacedFile, wrote: [UInt8])?
    if file?.bytes == wrote {
      var text = EntryText(late)
      let stamped = EntryText(wrote)
      for key in ["date", "weather"] where text.value(key) == nil {
        if let value = stamped.value(key) { try? text.set(key, value) }
      }
      let replaced = try folder.replace(
        path, expecting: wrote, with: text.bytes, asideDirectory: stateFolder,
        allowPlainRename: false)
      if case .done(let aside) = replaced {
        isKept = true
        next = aside.map { ($0, text.bytes) }
      }
    }
    if !isKept { _ = try await keepNow([version]) }
    return (try await keep(try await collectChanges([path], atStart: false)), next)
  }

  /// Fetches and writes the stamps that are owed, where `mayWrite` allows it and no one holds the
  /// file. Answers what was written, and whether some are left.
  @discardableResult
  package func fillQueuedStamps(
    _ mayWrite: (EntryPath) -> Bool = { _ in true }
  ) async throws -> (written: [EntryPath], left: Bool) {
    let owed = try owed.load()
    guard !owed.isEmpty, canAskForWeather else { return ([], false) }
    guard try weatherTrouble.load().notBefore <= now else { return ([], true) }
    var written: [EntryPath] = []
    var done: Set<QueuedStamp> = []
    for stamp in owed {
      guard let path = EntryPath(stamp.path), stillNeedsStamp(path) else {
        done.insert(stamp)
        continue
      }
      // A blank entry is known by its very bytes, and nobody can say yet that it will stay.
      guard mayWrite(path), blankEntries[path.text] == nil, !isHeld(path),
        let weather = try? await weatherText(at: stamp.moment, for: path, seconds: 10)
      else { continue }
      let stamped = try await exclusively {
        let stamped = try self.writeStamp(
          path, moment: stamp.moment, weather: weather, plainRename: false)
        if stamped != nil { _ = try await self.saveCommandChanges([path]) }
        return stamped != nil
      }
      if stamped { written.append(path) }
      done.insert(stamp)
    }
    let paid = done
    if !paid.isEmpty {
      try await exclusively { try self.owed.change { $0.removeAll { paid.contains($0) } } }
    }
    return (written, paid.count < owed.count)
  }

  /// Whether the entry is there and lacks its weather, or cannot be seen just now.
  func stillNeedsStamp(_ path: EntryPath) -> Bool {
    switch folder.presence(of: path) {
    case .present: wantsWeather(path)
    case .absent: false
    case .unknown: true
    }
  }

  /// Whether a swap or lock file stands beside the entry that no killed editor left behind.
  func hasEditorTrace(_ path: EntryPath) -> Bool {
    EditorLockFiles.traces(beside: path, in: folder).contains { $0.owner != .dead }
  }

  /// Whether an editor is known to hold the file: its lock file stands beside it, or it is open.
  func isHeld(_ path: EntryPath) -> Bool {
    hasEditorTrace(path)
      || !OpenFiles.holders(of: [path], root: root).isEmpty
  }
}
