import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

/// A part of the list, and the cursor of the next part.
struct ListResponse: Encodable {
  /// The maximum number of rows in a response.
  static let maxRows = 60

  let rows: [EntryRow]
  @Nullable var next: String?
}

extension PageContext {
  /// `GET /api/entries`: the rows after a cursor, of all entries or of search hits.
  func entries() async throws -> Response {
    let limit = query("limit").flatMap { Int($0) } ?? ListResponse.maxRows
    return try .json(
      try await rows(
        after: query("after"), searchText: query("q"), tag: query("tag"),
        limit: min(max(limit, 1), ListResponse.maxRows), user))
  }

  func rows(
    after cursor: String?, searchText: String?, tag: String?, limit: Int, _ user: PageUser
  ) async throws -> ListResponse {
    // One more row shows whether there are further rows.
    var filter = ListFilter(tags: tag.map { [foldedForSearch($0)] } ?? [], limit: limit + 1)
    filter.afterCursor = try cursor.map { text in
      guard let cursor = ListCursor(text) else { throw PageFailure.malformed }
      return cursor
    }
    let typed = searchText ?? ""
    let hits =
      typed.allSatisfy(\.isWhitespace)
      ? try await journal.catalog.list(filter).map { (entry: $0, match: nil as MatchLine?) }
      : try await journal.catalog.searchNewest(typed: typed, filter)
        .map { (entry: $0.summary, match: $0.match) }
    let shown = hits.prefix(limit)
    return ListResponse(
      rows: shown.map { EntryRow($0.entry, for: user, match: $0.match) },
      next: hits.count > limit ? shown.last?.entry.cursor.text : nil)
  }

  /// `GET /api/status`: the same JSON as `diary status --json`.
  func status() async throws -> Response { try .json(StatusJSON(try await journal.status())) }

  /// `DELETE /api/entries/PATH` with `If-Match`, `*` for any version. Returns the id for undo.
  func delete() async throws -> Response {
    struct Answer: Encodable { let undo: String }
    guard let wanted = request.headers[.ifMatch] else { throw PageFailure.missingVersion }
    let path = await currentPath(of: try path())
    let version = try await journal.page.editable(path).version
    guard wanted == "*" || wanted.filter({ $0 != "\"" }) == version else {
      throw PageFailure(
        status: .conflict, kind: .failed,
        what: localized(
          "the entry was changed in the meantime"), hint: localized("reload the page"))
    }
    return try .json(Answer(undo: try await journal.page.delete(path, from: version)))
  }

  /// `POST /api/undo/ID`: restores a deleted entry.
  func undoDeletion() async throws -> Response {
    try .json(PageEntry(try await journal.page.undoDeletion(String(wildcard)), for: user))
  }
}

extension ListCursor {
  /// The cursor in a URL: days since 1970, seconds since 1970, and the path's bytes in hex.
  fileprivate var text: String {
    let numbers = [day?.ordinal, instant].map { $0.map(String.init) ?? "" }
    return (numbers + [hexadecimal(path.bytes)]).joined(separator: ".")
  }

  fileprivate init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      let path = bytes(hexadecimal: parts[2]).flatMap({ EntryPath(bytes: $0) })
    else { return nil }
    self.init(day: Int(parts[0]).flatMap { Day(ordinal: $0) }, instant: Int(parts[1]), path: path)
  }
}

extension PageFailure {
  static var deleted: PageFailure {
    PageFailure(
      status: .gone, kind: .gone,
      what: localized(
        "the entry no longer exists"), hint: nil)
  }

  static var missingVersion: PageFailure {
    PageFailure(
      status: .preconditionRequired, kind: .usage,
      what: localized("the page did not send the entry's version"),
      hint: localized("reload the page"))
  }
}
