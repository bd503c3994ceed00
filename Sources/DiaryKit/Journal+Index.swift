import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Glibc

extension Journal {
  /// Brings the index up to the folder as it stands now: one walk, merged with the rows.
  @discardableResult
  func refresh() async throws -> IndexChange {
    let walk = folder.walk(EntryRules(settings: settings))
    let change = try catalog.update(
      files: walk.entries.map { IndexedFile(path: $0.path, stamp: $0.stamp) },
      readAt: walk.startedAt, read: readEntries)
    try await updateIgnored(walk)
    return change
  }

  /// An answer of the index about the files as they are now. A database that turns out to be damaged
  /// is made again, once.
  func ask<Answer>(_ question: (EntryCatalog) throws -> Answer) async throws -> Answer {
    try await refresh()
    do {
      return try question(catalog)
    } catch CatalogError.damaged {
      try await refresh()
      return try question(catalog)
    }
  }

  /// The same for a few paths, as the watcher knows them.
  func refresh(only paths: [EntryPath]) async throws {
    let rules = EntryRules(settings: settings)
    let entries = paths.filter { rules.isEntry($0) }
    guard !entries.isEmpty else { return }
    do {
      _ = try catalog.update(paths: entries, read: readEntries)
      try await updateIgnored(nil)
    } catch CatalogError.incomplete {
      try await refresh()
    }
  }

  private func readEntries(_ paths: [EntryPath]) -> [ReadEntry] {
    paths.compactMap { path in
      guard let file = try? folder.read(path), !EntryRules.isMadeByDiary(file.bytes) else {
        return nil
      }
      let entry = Entry(path: path, text: EntryText(file.bytes), settings: settings, zone: zone)
      return ReadEntry(entry: entry, stamp: file.stamp, readAt: file.readAt)
    }
  }

  /// Asks git about paths that it has not been asked about; about all when an ignore file changed.
  private func updateIgnored(_ walk: Walk?) async throws {
    if let walk {
      let key = ignoreKey(walk)
      if try catalog.remark("ignore") != key {
        try catalog.forgetIgnored()
        try catalog.setRemark("ignore", key)
      }
    }
    let unknown = try catalog.pathsWithUnknownIgnore()
    guard !unknown.isEmpty else { return }
    let ignored = try await repository.ignored(unknown)
    let tracked = ignored.isEmpty ? [] : try await repository.known(Array(ignored))
    let hidden = ignored.subtracting(tracked)
    try catalog.setIgnored(
      Dictionary(uniqueKeysWithValues: unknown.map { ($0, hidden.contains($0)) }))
  }

  /// The state of every file that can make git ignore something.
  private func ignoreKey(_ walk: Walk) -> String {
    var parts = walk.ignoreFiles.map { "\($0.path.text) \($0.stamp.size) \($0.stamp.modified)" }
    let global = surroundings.environment["XDG_CONFIG_HOME"] ?? surroundings.home + "/.config"
    var outside = [place.commonDirectory + "/info/exclude", global + "/git/ignore"]
    if place.prefix != nil { outside.append(place.workTree + "/.gitignore") }
    for path in outside {
      var answer = stat()
      guard stat(path, &answer) == 0 else { continue }
      parts.append("\(path) \(answer.st_size) \(answer.st_mtim.tv_sec) \(answer.st_mtim.tv_nsec)")
    }
    return parts.joined(separator: "\n")
  }

  /// Throws the index away and makes it anew; answers how many entries it holds.
  public func rebuildIndex() async throws -> Int {
    try catalog.rebuild()
    _ = try await refresh()
    try await exclusively { try self.writeList() }
    return try catalog.count()
  }

  /// Compares the index as it is kept with one made from nothing; answers what differs.
  public func verifyIndex() async throws -> [String] {
    _ = try await refresh()
    let walk = folder.walk(EntryRules(settings: settings))
    return try catalog.verify(against: readEntries(walk.entries.map(\.path)).map(\.entry)).map {
      "\($0.path.text): \($0.kind.rawValue)"
    }
  }

  /// Writes `INDEX.md` when the journal wants one and it has changed.
  func writeList() throws {
    guard let path = settings.indexFile, isOwn || settings.indexIsCommitted else { return }
    if let present = try folder.read(path), !EntryRules.isMadeByDiary(present.bytes) { return }
    let lines = try catalog.list(ListFilter()).map(Journal.listLine)
    let text = EntryRules.listMarker + "\n\n" + lines.joined()
    try folder.writeGenerated(path, Array(text.utf8))
  }

  /// `- 2026-11-21 🌧️ [title](path)`: the same on every device, in every language.
  private static func listLine(_ entry: ListedEntry) -> String {
    let day = entry.day?.description ?? "undated"
    let icon = entry.weather?.icon(isNight: false) ?? ""
    let title = entry.title.replacing("[", with: "\\[").replacing("]", with: "\\]")
    let path = entry.path.text
    let target = path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    let mark = icon.isEmpty ? day : day + " " + icon
    return "- \(mark) [\(title)](\(target))\n"
  }
}
