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

  func article(of entry: EntrySummary, _ text: EntryText, _ user: PageUser) -> String {
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
