import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The text of a version: the whole file, its header with fences, and its body.
private struct RevisionText: Sendable {
  var whole = ""
  var header = ""
  var body = ""

  init() {}

  init(_ text: EntryText) {
    whole = String(decoding: text.bytes, as: UTF8.self)
    header = text.wholeHeader
    body = text.body
  }
}

extension History {
  /// Every saved version of an entry, newest first.
  ///
  /// - Parameter patch: true to include the changes from version to version.
  package func history(of path: EntryPath, patch: Bool = false) async throws -> EntryHistory {
    let found = try await journal.repository.versions(of: path)
    guard !found.versions.isEmpty else {
      throw DiaryError(
        localized("\(path.text) has never been saved"), kind: .nothingFound,
        hint: localized("`diary save` saves it"))
    }
    var history = EntryHistory(versions: [], isCutOff: found.isCutOff)
    var newer = try await text(of: found, 0)
    for index in found.versions.indices {
      let older = try await text(of: found, index + 1)
      history.versions.append(row(found, index, newer, older, patch: patch))
      newer = older
    }
    return history
  }

  /// A row of the history: a version compared with the one before it.
  private func row(
    _ found: EntryVersions, _ index: Int, _ newer: RevisionText, _ older: RevisionText, patch: Bool
  ) -> EntryRevision {
    let version = found.versions[index]
    let isLast = index + 1 == found.versions.count
    let isSame = !isLast && found.versions[index + 1].blob == version.blob
    let words = isSame ? WordDiff(from: "", to: "") : WordDiff(from: older.body, to: newer.body)
    // The first version in a shallow clone is not new.
    let isBeginning = isLast && found.isCutOff
    return EntryRevision(
      versionsAgo: index, path: version.path, at: version.savedAt,
      offset: offset(of: version),
      commit: version.commit.description,
      message: version.message.split(separator: "\n").first.map(String.init) ?? "",
      added: isBeginning ? 0 : words.added, removed: words.removed,
      isDeletion: version.blob == nil,
      changes: patch ? WordDiff(from: older.whole, to: newer.whole) : nil,
      excerpt: isBeginning || isSame
        ? []
        : (older.body == newer.body ? WordDiff(from: older.header, to: newer.header) : words)
          .excerpt(of: 160))
  }

  /// The UTC offset in which a version's time is shown. A merge of a sync has none of its own, as all
  /// devices make the same commit.
  private func offset(of version: EntryVersion) -> Int {
    entriesToReview(inMessage: version.message) != nil
      ? journal.utcOffset(at: version.savedAt) : version.offsetMinutes * 60
  }

  /// The text of the version that a commit introduced, compared with the version before.
  package func changes(of path: EntryPath, in commit: String) async throws -> EntryChanges? {
    let found = try await journal.repository.versions(of: path)
    guard let index = found.versions.firstIndex(where: { $0.commit.description == commit }),
      let blob = found.versions[index].blob
    else { return nil }
    let text = EntryText(try await journal.repository.content(of: blob))
    let (newer, older) = (RevisionText(text), try await self.text(of: found, index + 1))
    let version = found.versions[index]
    return EntryChanges(
      text: text, title: summary(of: text, at: version.path).title, at: version.savedAt,
      offset: offset(of: version), isFirst: index + 1 == found.versions.count,
      header: WordDiff(from: older.header, to: newer.header),
      body: WordDiff(from: older.body, to: newer.body))
  }

  /// The text of the version at `index`; empty beyond the oldest one, and for a deletion.
  private func text(of found: EntryVersions, _ index: Int) async throws -> RevisionText {
    guard found.versions.indices.contains(index), let blob = found.versions[index].blob else {
      return RevisionText()
    }
    return RevisionText(EntryText(try await journal.repository.content(of: blob)))
  }

  /// An earlier text of an entry, in the syntax of `--at`: a time, a number of versions ago, or a
  /// commit.
  package func text(of path: EntryPath, at text: String) async throws -> EntryText {
    EntryText(try await version(of: path, at: text).bytes)
  }

  /// A version with the bytes that a file on disk would have.
  func version(
    of path: EntryPath, at text: String
  ) async throws -> (bytes: [UInt8], isExecutable: Bool, at: Int) {
    let found = try await journal.repository.versions(of: path)
    guard !found.versions.isEmpty else {
      throw DiaryError(localized("\(path.text) has never been saved"), kind: .nothingFound)
    }
    let version = try await selectedVersion(text, of: path, found)
    guard let blob = version.blob else {
      throw DiaryError(
        localized("\(path.text) was deleted at that time"), kind: .nothingFound,
        details: [localized("deleted: \(localTime(version.savedAt))")],
        hint: localized("`diary history \(path.text)` lists its versions"))
    }
    let bytes = try await journal.repository.content(of: blob, as: version.path)
    return (bytes, version.isExecutable, version.savedAt)
  }

  private func selectedVersion(
    _ text: String, of path: EntryPath, _ found: EntryVersions
  ) async throws -> EntryVersion {
    let hint = localized("`diary history \(path.text)` lists its versions")
    guard let when = journal.catalog.dateExpression(text) else {
      throw DiaryError.invalidVersion(text)
    }
    let edge = DiaryError(
      localized("that version of \(path.text) is not in this clone, because it is shallow"),
      kind: .nothingFound,
      hint: localized("`git fetch --unshallow` fetches the whole history"))
    switch when {
    case .versionsAgo(let count):
      if count < found.versions.count { return found.versions[count] }
      if found.isCutOff { throw edge }
      throw DiaryError(
        localized(
          "\(path.text) has \(found.versions.count) versions; there is none \(count) versions ago"),
        kind: .nothingFound, hint: hint)
    case .commit(let digits):
      let fits = found.versions.filter { version in
        ([version.commit] + version.otherCommits).contains { $0.description.hasPrefix(digits) }
      }
      if fits.count == 1 { return fits[0] }
      return try await version(at: digits, of: path, found)
    case .days, .moment:
      guard
        let span = when.instants(
          dayStart: journal.settings.dayStartsAt, zone: journal.environment.zone)
      else {
        throw DiaryError.invalidVersion(text)
      }
      if let version = found.versions.first(where: { $0.savedAt < span.upperBound }) {
        return version
      }
      if found.isCutOff { throw edge }
      let first = found.versions.last.map { localTime($0.savedAt) } ?? ""
      throw DiaryError(
        localized("\(path.text) did not exist yet at \(text)"), kind: .nothingFound,
        details: [localized("first saved: \(first)")], hint: hint)
    }
  }

  /// The entry in a commit, under any of its names.
  private func version(
    at digits: String, of path: EntryPath, _ found: EntryVersions
  ) async throws -> EntryVersion {
    let commit = try await commit(named: digits)
    for name in found.paths {
      guard let file = try await journal.repository.file(at: name, in: commit) else { continue }
      return EntryVersion(
        path: name, blob: file.blob, isExecutable: file.isExecutable, commit: commit,
        savedAt: journal.now)
    }
    throw DiaryError(
      localized("the commit \(digits) does not contain \(path.text)"), kind: .nothingFound,
      hint: localized("`diary history \(path.text)` lists its versions"))
  }

  func commit(named digits: String) async throws -> CommitID {
    switch try await journal.repository.commit(withPrefix: digits) {
    case .found(let commit): return commit
    case .ambiguous:
      throw DiaryError(
        localized("several commits begin with \(digits)"), kind: .usage,
        hint: localized("give more digits"))
    case .absent:
      throw DiaryError(
        localized("there is no commit \(digits) in this clone"), kind: .nothingFound,
        hint: FileManager.default.fileExists(
          atPath: journal.gitLocation.commonDirectory + "/shallow")
          ? localized("the clone is shallow; `git fetch --unshallow` fetches the whole history")
          : nil)
    }
  }

  /// A time on the machine's clock, for the details of an error.
  func localTime(_ instant: Int) -> String {
    UserLocale(journal.environment.variables).text(of: instant)
  }
}

extension DiaryError {
  static func invalidVersion(_ text: String) -> DiaryError {
    DiaryError(
      localized("\"\(text)\" is not a version"), kind: .usage,
      hint: localized(
        "\"2026-11-20 18:00\", yesterday, 3 (versions ago), or a commit of seven digits or more")
    )
  }
}
