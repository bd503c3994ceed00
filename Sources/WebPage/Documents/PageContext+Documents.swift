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
      isReadOnly: isReadOnly, isEncrypted: server.isEncrypted)
  }

  /// `GET /`: the list, or search hits.
  func listDocument() async throws -> Response {
    let user = user
    let wanted = try await listRequest()
    var limit = ListDocument.initialRowCount
    if case .around = wanted.place { limit = ListResponse.maxRows }
    if wanted.words != nil { limit = ListResponse.maxRows }
    var list = ListDocument(request: wanted, part: try await rows(wanted, limit: limit, user))
    if let at = queryField("at", in: request.uri.query ?? "") {
      if let day = Day(iso: String(at))?.description {
        list.addressedRow = list.part.rows.first { $0.day ?? "" <= day }?.href
      } else if let path = EntryPath(urlPath: at) {
        list.addressedRow = "/e/" + (await currentPath(of: path)).urlPath
      }
    }
    if wanted.isWhole, list.part.previous == nil {
      list.sameDay = try journal.catalog.entriesOnThisDay().prefix(5).map {
        row($0, user, isAlone: true)
      }
      let settings = journal.settings
      list.asksForWeather =
        !list.part.rows.isEmpty && settings.place == nil && settings.weatherProvider == .openMeteo
    }
    return .document(list.html(for: user, server.assets))
  }

  /// `GET /pictures`: the pictures of the entries, with `?after=` from the entry below a cursor on.
  func picturesDocument() async throws -> Response {
    let user = user
    var filter = ListFilter(limit: 60)
    filter.showsFiles = true
    filter.afterCursor = try cursor("after")
    var document = PicturesDocument()
    var count = 0
    repeat {
      let entries = try await journal.catalog.list(filter)
      for entry in entries where count < PicturesDocument.pictureCount {
        let pictures = journal.page.pictures(of: entry.path).map { EntryRow.Picture($0) }
        filter.afterCursor = entry.cursor
        guard !pictures.isEmpty else { continue }
        document.items.append(.init(row: EntryRow(entry, for: user), pictures: pictures))
        count += pictures.count
      }
      let isWhole = entries.last.map { $0.cursor == filter.afterCursor } ?? true
      let hasMore = !isWhole || entries.count == filter.limit
      document.next = hasMore ? filter.afterCursor?.text : nil
    } while document.next != nil && count < PicturesDocument.pictureCount
    return .document(document.html(for: user, server.assets))
  }

  /// `GET /r/PATH`: the former address of an entry for reading.
  func readingRedirect() async throws -> Response {
    redirect(to: await currentPath(of: try path()))
  }

  /// Redirects to an entry. Not permanently: another entry may get the old name.
  func redirect(to path: EntryPath) -> Response {
    Response(status: .temporaryRedirect, headers: [.location: "/e/" + path.urlPath])
  }

  /// The HTML of an entry; with `fields`, for the screen on which it is edited.
  func article(
    of entry: EntrySummary, _ text: EntryText, editedAs fields: EditableText? = nil,
    _ user: PageUser
  ) -> String {
    journal.entries.htmlArticle(of: entry, text, user.dates.shareLocale, editedAs: fields) {
      ($1 ? "/e/" : "/f/") + $0.urlPath
    }
  }

  /// The summary of the entry in the address.
  func summary() async throws -> EntrySummary {
    let currentPath = await currentPath(of: try path())
    guard let entry = try await journal.catalog.summary(at: currentPath) else {
      throw PageFailure.notFound
    }
    return entry
  }

  /// The current path of an entry, also after a rename by a page.
  func currentPath(of path: EntryPath) async -> EntryPath {
    await server.recentChanges.currentPath(of: path, in: journal)
  }

  /// The current path of an entry that is shown or written, also after a rename by anything else.
  func followedPath(of path: EntryPath) async -> EntryPath {
    let known = await currentPath(of: path)
    if journal.catalog.hasFile(at: known) { return known }
    return (try? await journal.page.newPath(of: known)) ?? known
  }
}
