import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// `GET /t/PATH?v=VERSION`: the thumbnail of a version of a picture.
  func thumbnail() throws -> Response {
    let picture = try journal.page.file(at: try path())
    guard query("v") == picture.tag, let bytes = journal.page.thumbnail(of: picture) else {
      throw PageFailure.notFound
    }
    var response = Response.bytes(bytes, type: "image/jpeg")
    if !server.isEncrypted {
      response.headers[.cacheControl] = "private, max-age=86400, immutable"
    }
    return response
  }

  /// `PUT /t/PATH` with `If-Match`: stores a thumbnail that the browser has made. The server
  /// decodes no picture.
  func saveThumbnail() async throws -> Response {
    guard let version = request.headers[.ifMatch] else { throw PageFailure.missingVersion }
    let picture = try journal.page.file(at: try path())
    let bytes = try await body(maxBytes: PageEditing.maxThumbnailBytes)
    guard picture.isPicture, MediaKind(bytes)?.type == "image/jpeg" else {
      throw PageFailure.malformed
    }
    guard version.filter({ $0 != "\"" }) == picture.tag else {
      return Response(status: .preconditionFailed)
    }
    try journal.page.storeThumbnail(bytes, of: picture)
    return Response(status: .noContent)
  }

  /// A row of the list with the first picture of its entry.
  func row(
    _ entry: EntrySummary, _ user: PageUser, match: MatchLine? = nil, isAlone: Bool = false
  ) -> EntryRow {
    var row = EntryRow(entry, for: user, match: match, isAlone: isAlone)
    row.picture = journal.page.firstPicture(of: entry.path).map { EntryRow.Picture($0) }
    return row
  }
}
