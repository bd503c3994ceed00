import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// The language and settings of the user.
  var user: PageUser {
    PageUser(
      language: UserLanguage(accepting: acceptLanguage ?? ""), units: journal.settings.units,
      isReadOnly: isReadOnly)
  }

  /// `GET /`: the list, or search hits.
  func listDocument() async throws -> Response {
    let user = user
    let searchText = query("q").flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    let page = try await rows(
      after: query("after"), searchText: searchText, tag: query("tag"),
      limit: searchText == nil ? ListDocument.initialRowCount : ListResponse.maxRows, user)
    var list = ListDocument(rows: page.rows, next: page.next, query: searchText)
    if searchText == nil, query("after") == nil {
      list.sameDay = try journal.catalog.entriesOnThisDay().prefix(5).map {
        EntryRow($0, for: user)
      }
      let settings = journal.settings
      list.asksForWeather =
        !page.rows.isEmpty && settings.place == nil && settings.weatherProvider == .openMeteo
    }
    return .document(list.html(for: user, server.assets))
  }

  /// `GET /r/PATH`: an entry for reading.
  func readDocument() async throws -> Response {
    let user = user
    let entry = try await summary()
    return .document(
      ReadDocument(
        row: EntryRow(entry, for: user),
        article: article(of: entry, try journal.catalog.text(of: entry.path), user)
      ).html(for: user, server.assets))
  }

  /// `GET /h/PATH`: the versions of an entry; with `?at=`, the content of one version.
  func historyDocument() async throws -> Response {
    let user = user
    let entry = try await summary()
    let history = try await journal.history.history(of: entry.path)
    var document = HistoryDocument(row: EntryRow(entry, for: user), isCutOff: history.isCutOff)
    guard let commit = query("at") else {
      document.versions = history.versions.map { version in
        HistoryDocument.Version(
          commit: version.commit, time: user.time(version.at, offset: version.offset),
          change: version.isDeletion
            ? localized("deleted") : localized("+\(version.added) −\(version.removed) words"),
          isDeletion: version.isDeletion)
      }
      return .document(document.html(for: user, server.assets))
    }
    guard let version = history.versions.first(where: { $0.commit == commit }), !version.isDeletion
    else { throw PageFailure.notFound }
    document.shown = HistoryDocument.DisplayedVersion(
      commit: commit, time: user.time(version.at, offset: version.offset),
      article: article(
        of: entry, try await journal.history.text(of: entry.path, at: commit), user))
    return .document(document.html(for: user, server.assets))
  }

  private func article(of entry: EntrySummary, _ text: EntryText, _ user: PageUser) -> String {
    journal.entries.htmlArticle(of: entry, text, user.dates.shareLocale) { "/f/" + $0.urlPath }
  }

  /// The summary of the entry in the address.
  func summary() async throws -> EntrySummary {
    let currentPath = await currentPath(of: try path())
    guard let entry = try await journal.catalog.summary(at: currentPath) else {
      throw PageFailure.notFound
    }
    return entry
  }

  /// The current path of an entry, also after a rename.
  func currentPath(of path: EntryPath) async -> EntryPath {
    await server.recentChanges.currentPath(of: path, in: journal)
  }
}

extension PageUser {
  /// The local time of a version, in the time zone in which it was written.
  func time(_ instant: Int, offset: Int) -> String {
    guard let date = EntryDate(instant: instant, offset: offset) else { return "" }
    return [dates.longText(of: date.date), dates.timeText(of: date)].compactMap(\.self)
      .joined(separator: ", ")
  }
}
