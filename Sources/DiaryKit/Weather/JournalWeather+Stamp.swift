import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// A stamp that could not be fetched when it was due.
struct QueuedStamp: Codable, Sendable, Hashable {
  var path: String
  /// The moment of the stamp, in Unix seconds.
  var moment: Int
}

/// The result of an attempt to stamp an entry.
enum StampAttempt: Sendable {
  /// The new bytes, and the displaced file.
  case written([UInt8], DisplacedFile?)
  /// There is nothing to write, or the file must never get a stamp.
  case unneeded
  /// The file must not be changed now.
  case refused(FileRefusal)
}

extension JournalWeather {
  /// Queues the missing weather of `path`.
  func queueStamp(_ path: EntryPath, moment: Int) async throws {
    try await journal.locked { try $0.queueStamp(path, moment: moment) }
  }

  /// True if the entry has no weather field: a stamp never replaces the user's text, and `none`
  /// turns the weather off.
  func needsWeather(_ path: EntryPath) -> Bool {
    guard let file = (try? journal.folder.read(path)) ?? nil else { return false }
    return needsWeather(file)
  }

  func needsWeather(_ file: FileContents) -> Bool {
    EntryText(file.bytes).value("weather") == nil
  }

  /// True if the entry has a date of its own, so that a stamp would not write one.
  func hasDate(_ path: EntryPath, _ file: FileContents) -> Bool {
    let text = EntryText(file.bytes)
    return Entry(path: path, text: text, settings: journal.settings, zone: journal.zone).date != nil
  }

  /// The paths of newly written entries: unknown to the repository, dated now, of a length that a
  /// user may have written, and not one of many from a copy or an import. It is called before the
  /// save, which makes them known.
  func newEntries(among paths: [EntryPath], in scan: SaveScan) async throws -> [EntryPath] {
    guard journal.stampedFiles == .all else { return [] }
    let entries = paths.filter { scan.candidates[$0]?.kind == .entry }
    let known = try await journal.repository.trackedPaths(among: entries)
    let saved = Set(scan.pending.map(\.path))
    let fresh = entries.filter { !known.contains($0) && !saved.contains($0) }
    guard fresh.count <= 3 else { return [] }
    return fresh.filter { path in
      guard scan.blanks[path.text] == nil, let file = scan.candidates[path]?.file,
        !file.bytes.isEmpty, file.signature.size <= maxEntryBytes
      else { return false }
      return isRecent(path, file) && needsStamp(path, file)
    }
  }

  /// True if an entry lacks a date, or weather that can be fetched.
  private func needsStamp(_ path: EntryPath, _ file: FileContents) -> Bool {
    canFetchWeather && needsWeather(file) || !hasDate(path, file)
  }

  /// True if the entry's date, or without one the file's own time, is within a day of now.
  private func isRecent(_ path: EntryPath, _ file: FileContents) -> Bool {
    let text = EntryText(file.bytes)
    guard text.encoding == .utf8, text.headerKind == .yaml || text.headerKind == .none else {
      return false
    }
    let entry = Entry(path: path, text: text, settings: journal.settings, zone: journal.zone)
    if let date = entry.date {
      return abs(date.instant - journal.now) <= 86_400 || date.date == journal.today
    }
    return abs(Int(file.signature.modified / 1_000_000_000) - journal.now) <= 86_400
  }

  /// Fetches and writes the queued stamps of entries that `mayWrite` allows and that are not open.
  /// Returns the written paths, and whether stamps remain.
  @discardableResult
  package func fillQueuedStamps(
    _ mayWrite: (EntryPath) -> Bool = { _ in true }
  ) async throws -> (written: [EntryPath], left: Bool) {
    let queued = try journal.state.queuedStamps.load()
    guard !queued.isEmpty, canFetchWeather else { return ([], false) }
    guard try journal.state.weatherBackoff.load().notBefore <= journal.now else {
      return ([], true)
    }
    var written: [EntryPath] = []
    var finished: Set<QueuedStamp> = []
    for stamp in queued {
      guard let path = EntryPath(stamp.path), stillNeedsStamp(path) else {
        finished.insert(stamp)
        continue
      }
      // A blank entry is recognized by its exact bytes, and may still be removed.
      guard mayWrite(path), journal.changes.blankEntries[path.text] == nil,
        !journal.isOpenInEditor(path),
        let weather = try? await weatherText(at: stamp.moment, for: path, seconds: 10)
      else { continue }
      let isStamped = try await journal.locked { locked -> Bool? in
        guard let file = try await locked.saver.enter([path]).settled[path] else { return nil }
        let attempt = try await locked.writeStamp(
          file, moment: stamp.moment, weather: weather, allowsPlainRename: false)
        switch attempt {
        case .refused: return nil
        case .unneeded: return false
        case .written: _ = try await locked.saver.saveCommandChanges([path])
        }
        return true
      }
      guard let isStamped else { continue }
      if isStamped { written.append(path) }
      finished.insert(stamp)
    }
    let removable = finished
    if !removable.isEmpty {
      try await journal.locked { locked in
        try locked.update(journal.state.queuedStamps) { $0.removeAll { removable.contains($0) } }
      }
    }
    return (written, removable.count < queued.count)
  }

  /// True if the entry exists and lacks its weather, or if its presence is unknown.
  func stillNeedsStamp(_ path: EntryPath) -> Bool {
    switch journal.folder.presence(of: path) {
    case .present: needsWeather(path)
    case .absent: false
    case .unknown: true
    }
  }
}

extension LockedJournal {
  /// Gives queued stamps the moments of their entries, whose dates were changed. Without a time of
  /// day it is noon, unless the stamp has a moment of that day.
  func followDates(of paths: Set<EntryPath>) throws {
    guard !journal.state.queuedStamps.read().isEmpty else { return }
    try update(journal.state.queuedStamps) { stamps in
      for index in stamps.indices {
        guard let path = EntryPath(stamps[index].path), paths.contains(path),
          let date = (try? journal.weather.entry(at: path))?.date
        else { continue }
        let noon = date.instant + 12 * 3600
        if date.seconds == nil, abs(stamps[index].moment - noon) <= 12 * 3600 { continue }
        stamps[index].moment = date.seconds == nil ? noon : date.instant
      }
    }
  }

  /// Queues the missing weather of `path`.
  func queueStamp(_ path: EntryPath, moment: Int) throws {
    try update(journal.state.queuedStamps) { owed in
      owed.removeAll { $0.path == path.text }
      owed.append(QueuedStamp(path: path.text, moment: moment))
    }
  }

  /// Writes date and weather into an entry that lacks them, and changes no other byte. The file is
  /// settled again if it changes in the meantime.
  ///
  /// - Parameter allowsPlainRename: as in ``attemptReplace(_:with:syncsName:allowsPlainRename:)``.
  func writeStamp(
    _ file: SettledFile, moment: Int, weather: String?, allowsPlainRename: Bool
  ) async throws -> StampAttempt {
    var file = file
    let path = file.path
    for _ in 0..<5 {
      // A blank entry is recognized by its exact bytes, and may still be removed.
      guard let content = file.content, journal.changes.blankEntries[path.text] == nil else {
        return .unneeded
      }
      var text = EntryText(content.bytes)
      guard text.encoding == .utf8 else { return .unneeded }
      let entry = Entry(path: path, text: text, settings: journal.settings, zone: journal.zone)
      do {
        if entry.date == nil,
          let date = EntryDate(instant: moment, offset: journal.utcOffset(at: moment))
        {
          try text.set("date", .text(date.description))
        }
        if let weather, text.value("weather") == nil { try text.set("weather", .text(weather)) }
      } catch {
        return .unneeded
      }
      guard text.bytes != content.bytes else { return .unneeded }
      do {
        let replaced = try saver.attemptReplace(
          file, with: text.bytes, syncsName: true, allowsPlainRename: allowsPlainRename)
        if case .replaced(let displaced) = replaced { return .written(text.bytes, displaced) }
      } catch let error as FileError where error.reason == .hardLinked {
        // A stamp is not worth separating the file from its other hard links.
        return .unneeded
      }
      let entered = try await saver.enter([path])
      guard let settled = entered.settled[path] else {
        return .refused(entered.refusals[path] ?? .changing)
      }
      file = settled
    }
    return .refused(.changing)
  }
}
