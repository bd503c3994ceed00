import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

extension Catalog {
  /// The entry that a REF of a command for one entry may name.
  package enum Ambiguity: Sendable {
    /// A date names its newest entry.
    case newestOfDay
    /// The REF must match exactly one entry.
    case mustBeUnique
  }

  /// The entries that the REFs of a command for several entries name.
  package struct NamedEntries: Sendable {
    /// Each entry once, in the order of the REFs; those of a date or a range oldest first.
    package var entries: [EntrySummary] = []
    /// True if one REF, a date or a range of numbers, names several of them.
    package var hasSpan = false

    package init(entries: [EntrySummary] = [], hasSpan: Bool = false) {
      (self.entries, self.hasSpan) = (entries, hasSpan)
    }
  }

  /// The entry that a REF names.
  package func resolve(_ text: String, _ ambiguity: Ambiguity) async throws -> EntrySummary {
    let found = try await matches(for: text)
    let first = try await newest(of: found, text)
    if found.entries.count == 1 || (found.isDay && ambiguity == .newestOfDay) { return first }
    throw ambiguous(found, text)
  }

  /// The entries that the words of a command line name. A date and a range of numbers name all
  /// their entries; words of a title must match exactly one entry. If no title has the words
  /// together, each may be a title.
  package func resolveAll(_ words: [String]) async throws -> NamedEntries {
    let texts = references(in: words)
    do { return try await namedEntries(texts) } catch let error as DiaryError {
      guard error.kind == .nothingFound, texts.count < words.count,
        words.allSatisfy({ isTitleText($0) })
      else { throw error }
      do { return try await namedEntries(words) } catch is DiaryError { throw error }
    }
  }

  private func namedEntries(_ texts: [String]) async throws -> NamedEntries {
    var named = NamedEntries()
    var seen: Set<EntryPath> = []
    for text in texts {
      let found = try await matches(for: text)
      _ = try await newest(of: found, text)
      if found.entries.count > 1 {
        guard found.isSpan else { throw ambiguous(found, text) }
        named.hasSpan = true
      }
      named.entries += found.entries.reversed().filter { seen.insert($0.path).inserted }
    }
    return named
  }

  /// The REFs among the words of a command line. A word that is no REF without its neighbours, such
  /// as `last` in `last week`, or a word of a title, makes all of them one REF: `Chapter 3` is not
  /// entry 3. A title in quotes is a REF of its own.
  package func references(in words: [String]) -> [String] {
    words.contains { isTitleText($0) && !$0.contains(where: \.isWhitespace) }
      ? [words.joined(separator: " ")] : words
  }

  /// The entries of files, in the order of `paths`: absolute paths, or relative to the current
  /// folder or the journal. Throws at a path that is no entry's.
  package func entries(at paths: [[UInt8]]) async throws -> [EntrySummary] {
    var filter = ListFilter()
    filter.needsPreviews = false
    let all = Dictionary(
      uniqueKeysWithValues: try await list(filter).map { ($0.path, $0) })
    let root = Array((journal.root + "/").utf8)
    var seen: Set<EntryPath> = []
    return try paths.compactMap { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      let path =
        bytes.starts(with: root)
        ? EntryPath(bytes: Array(bytes[root.count...])) : existingPath(text)
      guard let path, let entry = all[path] else {
        throw DiaryError(
          localized("\(text) is not an entry"), kind: .nothingFound,
          hint: localized("`-` reads what `diary list --paths` prints"))
      }
      return seen.insert(path).inserted ? entry : nil
    }
  }

  /// The newest of the entries found. Throws if there is none.
  private func newest(of found: Matches, _ text: String) async throws -> EntrySummary {
    if let first = found.entries.first { return first }
    try await throwIfIgnored(text)
    try await throwIfMissing(text)
    var error = noMatch(text, isSpan: found.isSpan)
    error.details = journal.changes.unreadableEntries().prefix(10).map {
      "\($0.path.text) \($0.reason)"
    }
    throw error
  }

  private func ambiguous(_ found: Matches, _ text: String) -> DiaryError {
    let isTitle = isTitleText(text)
    var error = DiaryError(
      localized("\"\(text)\" matches \(found.entries.count) entries"), kind: .usage,
      hint: localized("name one of them by its number")
        + (isTitle ? localized("; all of them: `diary search \(shellWord(text))`") : ""))
    error.entries = Array(found.entries.prefix(20))
    if found.entries.count > 20 {
      error.details = [localized("and \(found.entries.count - 20) more")]
    }
    return error
  }

  /// The error for a REF that matches nothing.
  private func noMatch(_ text: String, isSpan: Bool) -> DiaryError {
    let list = localized("`diary list` shows the entries with their numbers")
    if isSpan {
      return DiaryError(
        localized("there is no entry for \"\(text)\""), kind: .nothingFound, hint: list)
    }
    if text.contains(/^\d+-\d+$/) {
      return DiaryError(
        localized("no entry matches \"\(text)\""), kind: .nothingFound,
        hint: localized("a range of numbers is written `1..3`"))
    }
    guard case .title(let words)? = entryReference(text) else {
      return DiaryError(
        localized("no entry matches \"\(text)\""), kind: .nothingFound, hint: list)
    }
    let month = DateExpression.monthWithoutDay(text) { dateExpression($0) }
    return DiaryError(
      localized("no title contains \"\(text)\""), kind: .nothingFound,
      hint: month.map { UserLocale(journal.environment.variables).lengthText(of: $0) }
        ?? localized("in the texts: `diary search \(shellWord(words))`; \(list)"))
  }

  /// Throws if the REF names an entry that is saved but missing, and can be restored.
  private func throwIfMissing(_ text: String) async throws {
    guard let entry = try await journal.history.resolveMissing(text) else { return }
    throw DiaryError(
      localized("\(entry.path.text) is saved, but missing from the folder"), kind: .nothingFound,
      hint: localized("`diary restore \(entry.path.text)` brings it back"))
  }

  /// Throws if the REF names a file that git ignores, because it is not an entry of the list.
  private func throwIfIgnored(_ text: String) async throws {
    guard let path = existingPath(text), EntryMatcher(settings: journal.settings).isEntry(path),
      try journal.indexDatabase.ignoredPaths().contains(path),
      let file = await ignoreReasons(for: [path]).first
    else { return }
    throw DiaryError(
      localized("\(path.text) \(file.reason), so it is not an entry"), kind: .nothingFound,
      hint: localized("remove it from git's ignore file, or use `git add --force`"))
  }

  /// The entries that a REF matches, newest first.
  private struct Matches {
    var entries: [EntrySummary]
    /// The REF; `nil` for a path.
    var reference: EntryReference?
    /// True if the REF may name several entries: a date or a range of numbers.
    var isSpan: Bool {
      switch reference {
      case .date, .numbers: true
      case .number, .nth, .path, .title, nil: false
      }
    }
    var isDay: Bool { if case .date = reference { true } else { false } }
  }

  private func matches(for text: String) async throws -> Matches {
    let path = existingPath(text)
    if let copy = path.flatMap({ ConflictCopy($0) }) { throw DiaryError.conflictCopy(copy) }
    return try await query { catalog in
      if let path, let entry = try catalog.entry(at: path) { return Matches(entries: [entry]) }
      guard let reference = entryReference(text) else { return Matches(entries: []) }
      let entries = try entries(for: reference, in: catalog)
      return Matches(entries: entries, reference: reference)
    }
  }

  /// The entries of an index that a REF may match.
  func entries(
    for reference: EntryReference, in catalog: EntryIndexDatabase
  ) throws -> [EntrySummary] {
    switch reference {
    case .number(let number): return try catalog.entry(at: number).map { [$0] } ?? []
    case .numbers(let range):
      return try catalog.list(ListFilter(limit: range.count, offset: range.lowerBound - 1))
    case .date(let when): return try entries(of: when, in: catalog)
    case .nth(let count, let day):
      let chronological = Array(try catalog.entries(on: day).reversed())
      return chronological.indices.contains(count - 1) ? [chronological[count - 1]] : []
    case .path(let words), .title(let words):
      let titled = try catalog.entries(titled: words)
      return titled.isEmpty ? try entries(named: words, in: catalog) : titled
    }
  }

  /// The entries with this file name, with or without its extension, in any folder.
  private func entries(
    named name: String, in catalog: EntryIndexDatabase
  ) throws -> [EntrySummary] {
    var filter = ListFilter()
    filter.needsPreviews = false
    return try catalog.list(filter).filter { $0.path.name == name || $0.path.stem == name }
  }

  /// The entries of a range of days, or of a minute.
  private func entries(of when: DateExpression, in catalog: EntryIndexDatabase) throws
    -> [EntrySummary]
  {
    guard let days = when.days(startingAt: journal.settings.dayStartsAt) else { return [] }
    let entries = try catalog.list(ListFilter(since: days.lowerBound, until: days.upperBound))
    guard case .moment = when,
      let span = when.instants(
        dayStart: journal.settings.dayStartsAt, zone: journal.environment.zone)
    else { return entries }
    return entries.filter { $0.date?.seconds != nil && span.contains($0.date?.instant ?? 0) }
  }

  /// The path of the history that a REF asks for. The path of an existing entry is used directly,
  /// without an update of the index.
  package func historyPath(_ text: String) async throws -> EntryPath {
    if let path = existingPath(text), EntryMatcher(settings: journal.settings).isEntry(path) {
      return path
    }
    return try await journal.history.resolveIncludingDeleted(text).path
  }

  /// An existing path, relative to the current folder, otherwise to the journal.
  private func existingPath(_ text: String) -> EntryPath? {
    let absolute = journal.environment.absolutePath(of: text)
    if absolute.hasPrefix(journal.root + "/"),
      let path = EntryPath(absolute.dropFirst(journal.root.count + 1)),
      journal.folder.hasFile(path)
    {
      return path
    }
    guard let path = EntryPath(text), journal.folder.hasFile(path) else { return nil }
    return path
  }
}

extension Catalog {
  /// The date of a WHEN text: in English or Korean, in digits in the order of the user's language,
  /// or as Diary prints a day in that language.
  package func dateExpression(_ text: String, zone: TimeZone? = nil) -> DateExpression? {
    let variables = journal.environment.variables
    if let when = DateExpression(
      reading: text, today: journal.today, now: journal.now,
      zone: zone ?? journal.environment.zone,
      isDayFirst: { UserLocale(variables).isDayFirst })
    {
      return when
    }
    return UserLocale(variables).day(parsing: text).map { .days($0...$0) }
  }

  /// The parsed REF.
  func entryReference(_ text: String) -> EntryReference? {
    EntryReference(reading: text) { dateExpression($0) }
  }

  /// True if a REF is neither a number, a date nor a path, and is read as words of a title.
  package func isTitleText(_ text: String) -> Bool {
    guard existingPath(text) == nil else { return false }
    switch entryReference(text) {
    case .title, .path: return true
    default: return false
    }
  }

  /// The time span of a WHEN text.
  package func timeSpan(of text: String) throws -> TimeSpan {
    guard let when = dateExpression(text),
      let moments = when.instants(
        dayStart: journal.settings.dayStartsAt, zone: journal.environment.zone)
    else { throw invalidDate(text) }
    if case .days(let days) = when { return TimeSpan(days: days, moments: moments) }
    return TimeSpan(days: nil, moments: moments)
  }

  /// The date of a new entry from a WHEN text; without a time in it, a date alone.
  package func entryDate(of text: String) throws -> EntryDate {
    guard let when = dateExpression(text) else { throw invalidDate(text) }
    if case .versionsAgo(let number) = when {
      throw DiaryError(
        localized("\"\(text)\" is not a day"), kind: .usage,
        hint: localized("to add to entry \(number): `diary add --to \(number)`"))
    }
    guard let date = when.entryDate(zone: journal.environment.zone) else {
      throw DiaryError.longDate(text)
    }
    return date
  }

  /// The error for a WHEN text that is no date.
  func invalidDate(_ text: String) -> DiaryError {
    let month = DateExpression.monthWithoutDay(text) { dateExpression($0) }
    return DiaryError(
      localized("\"\(text)\" is not a date that Diary understands"), kind: .usage,
      hint: month.map { UserLocale(journal.environment.variables).lengthText(of: $0) }
        ?? localized(
          "2026-11-21, \"2026-11-21 18:00\", 2026-11, today, yesterday, last monday, 3 days ago"))
  }
}

/// The time span of a WHEN text.
package struct TimeSpan: Sendable {
  /// The days of the diary, by which an entry matches in any time zone; `nil` if a time of day was
  /// given.
  package var days: ClosedRange<Day>?
  /// The range from its first second up to the second after its last, since 1970.
  package var moments: Range<Int>
}

extension DiaryError {
  static func conflictCopy(_ copy: ConflictCopy) -> DiaryError {
    DiaryError(
      localized("\(copy.path.text) is a conflict copy of \(copy.original.text), not an entry"),
      details: [localized("made by: \(copy.program)")],
      hint: localized("`diary check --fix` merges it into the entry"))
  }

  package static func longDate(_ text: String) -> DiaryError {
    DiaryError(
      localized("an entry needs a single day; \"\(text)\" is longer"), kind: .usage,
      hint: localized("such as 2026-11-21, \"2026-11-21 18:00\", yesterday"))
  }
}
