import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

/// A part of the list, and the cursors of the parts above and below it.
struct ListResponse: Encodable {
  /// The maximum number of rows in a response.
  static let maxRows = 60

  let rows: [EntryRow]
  @Nullable var previous: String?
  @Nullable var next: String?
  /// The number of hits of a search, in its first part.
  @Nullable var total: Int?
}

extension PageContext {
  /// `GET /api/entries`: the rows at a place of the list, of all entries or of search hits.
  func entries() async throws -> Response {
    let limit = query("limit").flatMap { Int($0) } ?? ListResponse.maxRows
    return try .json(
      try await rows(
        try await listRequest(), limit: min(max(limit, 1), ListResponse.maxRows), user))
  }

  func rows(_ wanted: ListRequest, limit: Int, _ user: PageUser) async throws -> ListResponse {
    // One more row shows whether there are further rows.
    var filter = wanted.filter
    filter.limit = limit + 1
    if case .after(let cursor) = wanted.place { filter.afterCursor = cursor }
    if let words = wanted.words {
      let hits = try await journal.catalog.searchNewest(typed: words, filter)
      let isFirst = filter.afterCursor == nil
      filter.limit = nil
      return ListResponse(
        rows: hits.prefix(limit).map {
          row($0.summary, user, match: $0.match, isAlone: true)
        },
        next: hits.count > limit ? hits[limit - 1].summary.cursor.text : nil,
        total: isFirst ? try await journal.catalog.hitCount(typed: words, filter) : nil)
    }
    var (above, below): ([EntrySummary], [EntrySummary]) = ([], [])
    var (aboveLimit, belowLimit) = (0, limit)
    switch wanted.place {
    case .newest, .after: below = try await journal.catalog.list(filter)
    case .before(let cursor):
      (aboveLimit, belowLimit) = (limit, 0)
      above = try await rows(through: cursor, limit + 2, wanted.filter)
        .filter { $0.path != cursor.path }
    case .around(let cursor):
      (aboveLimit, belowLimit) = (limit / 2, limit - limit / 2)
      above = try await rows(through: cursor, aboveLimit + 1, wanted.filter)
      filter.afterCursor = cursor
      filter.limit = belowLimit + 1
      below = try await journal.catalog.list(filter)
    }
    let shown = above.suffix(aboveLimit) + below.prefix(belowLimit)
    var (hasPrevious, hasNext) = (above.count > aboveLimit, below.count > belowLimit)
    if case .after = wanted.place { hasPrevious = true }
    if case .before = wanted.place { hasNext = true }
    return ListResponse(
      rows: shown.map { row($0, user) },
      previous: hasPrevious ? shown.first?.cursor.text : nil,
      next: hasNext ? shown.last?.cursor.text : nil)
  }

  /// At most `limit` rows that end with the cursor's, newest first.
  private func rows(
    through cursor: ListCursor, _ limit: Int, _ filter: ListFilter
  ) async throws -> [EntrySummary] {
    var filter = filter
    (filter.throughCursor, filter.isReversed, filter.limit) = (cursor, true, limit)
    return try await journal.catalog.list(filter).reversed()
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
