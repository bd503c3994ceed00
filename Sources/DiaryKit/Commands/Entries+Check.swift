import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

/// The problems that `diary check` found in one file.
package struct CheckedFile: Sendable {
  /// The file.
  package var path: EntryPath
  /// The problems, at least one.
  package var lints: [Diagnostic]
}

extension Entries {
  /// The source of a missing date for `check --fix --date-from`.
  package enum DateSource: String, Sendable, CaseIterable {
    /// The file's modification time.
    case mtime
    /// The first commit that has the file.
    case git
  }

  /// Reads every entry and returns the parts that a strict parser may misread, the links that lead
  /// nowhere, and the marks of an unfinished merge.
  package func check() async throws -> (files: [CheckedFile], entries: Int) {
    let walk = journal.folder.scan(EntryMatcher(settings: journal.settings))
    try await journal.catalog.updateIndex(walk)
    var files: [CheckedFile] = []
    let ignored = Set(try journal.indexDatabase.ignoredPaths())
    let media = LinkedFileLookup(journal)
    var count = 0
    for file in walk.entries where !ignored.contains(file.path) {
      guard let text = try? journal.folder.read(file.path) else {
        files.append(
          CheckedFile(
            path: file.path,
            lints: [
              Diagnostic(
                code: "unreadable", line: nil, message: localized("the file cannot be read"))
            ]))
        continue
      }
      // A list file of this journal, or of another one inside it, is not an entry.
      if journal.settings.isListFile(text.bytes[...], at: file.path) { continue }
      count += 1
      let content = EntryText(text.bytes)
      let entry = Entry(
        path: file.path, text: content, settings: journal.settings, zone: journal.zone)
      var lints = entry.lints + content.bodyLints + brokenLinks(in: content, at: file.path, media)
      if let day = file.path.dayInName, let date = entry.date, let own = entry.day,
        ![date.date, own].contains(day)
      {
        lints.append(
          Diagnostic(
            code: "other-day-in-name", line: nil,
            message: localized(
              "the file name has another day than the header; "
                + "`diary rename REF --date \(own)` renames the file")))
      }
      if !lints.isEmpty { files.append(CheckedFile(path: file.path, lints: lints)) }
    }
    for copy in try await journal.checkouts.conflictCopies(in: walk) {
      let lint = Diagnostic(
        code: "conflict-copy", line: nil,
        message: journal.checkouts.isOfEntry(copy)
          ? localized("a conflict copy of \(copy.original.text); `diary check --fix` merges it")
          : localized(
            "a conflict copy of \(copy.original.text); delete the one that you do not need"))
      files.append(CheckedFile(path: copy.path, lints: [lint]))
    }
    return (files, count)
  }

  /// Writes a date into the undated entries, from the source that the user named.
  package func fixDates(from source: DateSource) async throws -> [EntryPath] {
    _ = try await journal.catalog.updateIndex()
    let undated = try journal.indexDatabase.list(ListFilter()).filter { $0.date == nil }.map(\.path)
    return try await rewriteAndSave(undated) { path, text in
      guard text.encoding == .utf8, text.headerKind == .yaml || text.headerKind == .none,
        let instant = try await creationTime(of: path, from: source),
        let date = EntryDate(instant: instant, offset: journal.utcOffset(at: instant))
      else { return nil }
      return { try $0.set("date", .text(date.description)) }
    }
  }

  /// Quotes plain values that a strict YAML parser would misread. The entry's meaning and every
  /// other byte stay the same.
  package func fixQuotes() async throws -> [EntryPath] {
    try await fix("unquoted-value") { $0.encoding == .utf8 ? $0.withQuotedValues : $0 }
  }

  /// Moves headers back above text that was written before them. Every other byte stays the same.
  package func fixHeaders() async throws -> [EntryPath] {
    try await fix("header-not-at-top") { $0.withHeaderAtTop() ?? $0 }
  }

  /// Rewrites the entries that have the problem `code`. Returns those that changed.
  private func fix(
    _ code: String, _ repaired: @escaping @Sendable (EntryText) -> EntryText
  ) async throws -> [EntryPath] {
    let found = try await check().files
      .filter { $0.lints.contains { $0.code == code } }.map(\.path)
    return try await rewriteAndSave(found) { _, text in
      repaired(text) == text ? nil : { $0 = repaired($0) }
    }
  }

  /// Rewrites entries that are not open and returns those that were rewritten. They are saved even
  /// if another one cannot be rewritten. The first such error is thrown after the save.
  ///
  /// - Parameter change: returns the change of an entry, or `nil` if it has none.
  private func rewriteAndSave(
    _ paths: [EntryPath],
    _ change:
      @escaping @Sendable (EntryPath, EntryText) async throws -> (
        (inout EntryText) throws -> Void
      )?
  ) async throws -> [EntryPath] {
    guard !paths.isEmpty else { return [] }
    return try await journal.locked { locked in
      let files = try await locked.saver.enter(paths)
      var rewritten: [EntryPath] = []
      var refusal: (any Error)?
      for path in paths {
        // An entry that is open, or waits for a sync's text, is mended when it is not.
        guard let file = files.settled[path] else { continue }
        do {
          guard let bytes = file.content?.bytes,
            let change = try await change(path, EntryText(bytes))
          else { continue }
          try await locked.saver.rewrite(file, change)?.discard()
          rewritten.append(path)
        } catch { refusal = refusal ?? error }
      }
      _ = try await locked.saver.saveCommandChanges(rewritten)
      if let refusal { throw refusal }
      return rewritten
    }
  }

  private func creationTime(of path: EntryPath, from source: DateSource) async throws -> Int? {
    switch source {
    case .mtime: try journal.folder.signature(of: path).map { Int($0.modified / 1_000_000_000) }
    case .git: try await journal.repository.firstCommitTime(of: path)
    }
  }
}
