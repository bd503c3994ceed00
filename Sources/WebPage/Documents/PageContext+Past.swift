import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// `GET /h/PATH`: the versions of an entry, which may be deleted; with `?at=`, the changes of one
  /// version, and with `&as=text` its content.
  func historyDocument() async throws -> Response {
    let user = user
    let path = await currentPath(of: try path())
    guard let found = try await journal.page.entryOrDeleted(at: path) else {
      throw PageFailure.notFound
    }
    var document = HistoryDocument(row: EntryRow(found.summary, for: user))
    if case .deleted = found { document.isDeleted = true }
    if let commit = query("at") {
      guard let changes = try await journal.history.changes(of: path, in: commit) else {
        throw PageFailure.notFound
      }
      let date = EntryDate(instant: changes.at, offset: changes.offset)
      document.shown = HistoryDocument.DisplayedVersion(
        commit: commit, time: user.time(date, showsSeconds: true), title: changes.title,
        article: article(of: found.summary, changes.text, user),
        changes: changes.isFirst ? nil : (changes.header, changes.body),
        showsText: query("as") == "text")
      return .document(document.html(for: user, server.assets))
    }
    let history = try await journal.history.history(of: path)
    document.isCutOff = history.isCutOff
    let times = user.times(of: history.versions.map { ($0.at, $0.offset) })
    document.versions = zip(history.versions, times).map { version, time in
      HistoryDocument.Version(
        commit: version.commit, time: time,
        change: version.isDeletion
          ? localized("deleted") : localized("+\(version.added) −\(version.removed) words"),
        excerpt: version.excerpt, isDeletion: version.isDeletion)
    }
    return .document(document.html(for: user, server.assets))
  }

  /// `GET /deleted`: the entries deleted lately, and the next undo and redo.
  func deletedDocument() async throws -> Response {
    let user = user
    let steps = try journal.page.nextSteps()
    func step(_ operation: JournalOperation?) -> DeletedDocument.Step? {
      operation.map {
        DeletedDocument.Step(id: $0.id, text: $0.text, time: user.time(localDate(of: $0.at)))
      }
    }
    let rows = try await journal.page.recentlyDeleted().map { deleted in
      DeletedDocument.Row(
        row: EntryRow(deleted.entry, for: user), time: user.time(localDate(of: deleted.at)))
    }
    return .document(
      DeletedDocument(rows: rows, undo: step(steps.undo), redo: step(steps.redo))
        .html(for: user, server.assets))
  }

  /// `POST /api/steps/ID`: undoes the next operation, or redoes the one that was undone last.
  func reverseStep() async throws -> Response {
    try await journal.page.reverseStep(String(wildcard))
    return Response(status: .noContent)
  }

  /// `POST /api/restore/PATH` `{at}`: makes an old version the current one, or brings a deleted
  /// entry back, in its last version without `at`. Returns the entry's address.
  func restoreVersion() async throws -> Response {
    struct Version: Decodable { let at: String? }
    struct Restored: Encodable { let href: String }
    let version = try await json(Version.self).at
    guard
      let found = try await journal.page.entryOrDeleted(
        at: await currentPath(of: try path()))
    else { throw PageFailure.notFound }
    let restored = try await journal.history.restore(found, at: version)
    return try .json(Restored(href: "/e/" + restored.path.urlPath))
  }

  private func localDate(of instant: Int) -> EntryDate? {
    EntryDate(instant: instant, offset: journal.utcOffset(at: instant))
  }
}

extension EntryLookup {
  fileprivate var summary: EntrySummary {
    switch self {
    case .current(let entry): entry
    case .deleted(let deleted): deleted.entry
    }
  }
}

extension PageUser {
  fileprivate func time(_ date: EntryDate?, showsSeconds: Bool = false) -> String {
    guard let date else { return "" }
    return [dates.longText(of: date.date), dates.timeText(of: date, showsSeconds: showsSeconds)]
      .compactMap(\.self).joined(separator: ", ")
  }

  /// The local times of versions, in the zones in which they were written; with seconds where two
  /// neighbours would look alike.
  fileprivate func times(of versions: [(instant: Int, offset: Int)]) -> [String] {
    let dates = versions.map { EntryDate(instant: $0.instant, offset: $0.offset) }
    let texts = dates.map { time($0) }
    return texts.indices.map { index in
      let isAlike = [index - 1, index + 1].contains {
        texts.indices.contains($0) && texts[$0] == texts[index]
      }
      return isAlike ? time(dates[index], showsSeconds: true) : texts[index]
    }
  }
}
