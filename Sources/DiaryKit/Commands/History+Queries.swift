import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

extension History {
  /// The journal's entries at a time or in a commit, with the numbers of that list.
  package func list(_ filter: ListFilter, at text: String) async throws -> [EntrySummary] {
    guard let when = journal.catalog.dateExpression(text) else {
      throw journal.catalog.invalidDate(text)
    }
    let snapshot: Snapshot
    switch when {
    case .versionsAgo:
      throw DiaryError(
        localized("a list has no numbered versions, so --at \(text) has no meaning"), kind: .usage,
        hint: localized("give a date, a time or a commit"))
    case .commit(let digits):
      snapshot = try await journal.repository.snapshot(of: try await commit(named: digits))
    case .days, .moment:
      let span = when.instants(
        dayStart: journal.settings.dayStartsAt, zone: journal.environment.zone)
      snapshot = try await journal.repository.snapshot(at: (span?.upperBound ?? journal.now) - 1)
    }
    switch snapshot {
    case .found(_, _, let files):
      return try EntryIndexDatabase.inMemory(await entries(of: files)).list(filter)
    case .empty: return []
    case .tooEarly(let firstSave):
      throw DiaryError(
        localized("the journal has no save from \(text) or earlier"), kind: .nothingFound,
        details: [localized("first saved: \(localTime(firstSave))")])
    case .cutOff(let edge):
      throw DiaryError(
        localized("this clone is shallow and has nothing from before \(localTime(edge))"),
        kind: .nothingFound, hint: localized("`git fetch --unshallow` fetches the whole history"))
    }
  }

  /// The list row of a text at a path.
  package func summary(of text: EntryText, at path: EntryPath) -> EntrySummary {
    EntrySummary(
      Entry(path: path, text: text, settings: journal.settings, zone: journal.zone), number: 0)
  }

  /// A time (Unix seconds) in RFC 3339, on the machine's clock.
  package func date(of instant: Int) -> String {
    EntryDate(instant: instant, offset: journal.utcOffset(at: instant))?.description ?? ""
  }

  private func entries(of files: [EntryPath: ObjectID]) async throws -> [Entry] {
    let rules = EntryMatcher(settings: journal.settings)
    var found: [Entry] = []
    for (path, blob) in files where rules.isEntry(path) {
      let bytes = try await journal.repository.content(of: blob)
      if journal.settings.isListFile(bytes[...], at: path) { continue }
      found.append(
        Entry(path: path, text: EntryText(bytes), settings: journal.settings, zone: journal.zone))
    }
    return found
  }

  /// Deleted entries that do not exist any more, the newest deletion first.
  ///
  /// - Parameter since: deletions before this time (Unix seconds) are not looked for.
  package func deleted(
    _ filter: ListFilter = ListFilter(), since: Int = .min
  ) async throws -> [DeletedEntry] {
    let rules = EntryMatcher(settings: journal.settings)
    var found: [DeletedEntry] = []
    for file in try await journal.repository.deletedFiles(since: since).files
    where rules.isEntry(file.path) && !journal.folder.hasFile(file.path) {
      let bytes = try await journal.repository.content(of: file.blob)
      if journal.settings.isListFile(bytes[...], at: file.path) { continue }
      let entry = Entry(
        path: file.path, text: EntryText(bytes), settings: journal.settings, zone: journal.zone)
      found.append(DeletedEntry(saved: entry, at: file.deletedAt, commit: file.commit.description))
    }
    var all = filter
    (all.limit, all.offset) = (nil, 0)
    let listed = Set(try EntryIndexDatabase.inMemory(found.map(\.saved)).list(all).map(\.path))
    found = found.filter { listed.contains($0.saved.path) }
    if filter.isReversed { found.reverse() }
    return Array(found.prefix(filter.limit.map { max($0, 0) } ?? .max))
  }

  /// The saved entry that a REF names and that is missing from the folder without a recorded
  /// deletion; `nil` if there is none or more than one.
  package func resolveMissing(_ text: String) async throws -> EntrySummary? {
    let missing = try await journal.catalog.missingEntryVersions()
    guard !missing.isEmpty else { return nil }
    let fits = try entries(matching: text, among: missing)
    return fits.count == 1 ? fits.first?.entry : nil
  }

  /// The entry that a REF names; a missing or deleted one if no current entry matches.
  package func resolveIncludingDeleted(_ text: String) async throws -> EntryLookup {
    do {
      return .current(try await journal.catalog.resolve(text, .mustBeUnique))
    } catch let error as DiaryError where error.kind == .nothingFound {
      let fits = try await deletedEntries(matching: text)
      guard let first = fits.first else { throw error }
      if fits.count == 1 { return .deleted(first) }
      throw DiaryError(
        localized("\"\(text)\" matches \(fits.count) deleted entries"), kind: .usage,
        details: fits.prefix(20).map { "\($0.entry.path.text)  \($0.entry.title)" },
        hint: localized("name one of them by its path"))
    }
  }

  private func deletedEntries(matching text: String) async throws -> [DeletedEntry] {
    let missing = try entries(matching: text, among: await journal.catalog.missingEntryVersions())
    return missing.isEmpty ? try entries(matching: text, among: await deleted()) : missing
  }

  private func entries(
    matching text: String, among all: [DeletedEntry]
  ) throws -> [DeletedEntry] {
    let paths = possiblePaths(text)
    let same = all.filter { paths.contains($0.saved.path) }
    guard same.isEmpty, let reference = journal.catalog.entryReference(text) else { return same }
    switch reference {
    case .number, .numbers: return []
    case .date, .nth, .path, .title: break
    }
    let catalog = try EntryIndexDatabase.inMemory(all.map(\.saved))
    let found = Set(try journal.catalog.entries(for: reference, in: catalog).map(\.path))
    return all.filter { found.contains($0.saved.path) }
  }

  /// The journal paths that a text may name, existing or not.
  private func possiblePaths(_ text: String) -> [EntryPath] {
    let absolute = journal.environment.absolutePath(of: text)
    let below =
      absolute.hasPrefix(journal.root + "/")
      ? EntryPath(absolute.dropFirst(journal.root.count + 1)) : nil
    return [below, EntryPath(text)].compactMap(\.self)
  }
}
