import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// `GET /api/share/PATH?format=`: an exported copy of an entry; HTML is sent as a download.
  func share() async throws -> Response {
    let entry = try await summary()
    guard let format = ShareFormat(rawValue: query("format") ?? "text") else {
      throw PageFailure.malformed
    }
    let copy = try journal.entries.exportedDocument(
      of: [entry], as: format, user.dates.shareLocale)
    let type: String =
      switch format {
      case .html: "text/html; charset=utf-8"
      case .json: "application/json"
      case .md, .text: "text/plain; charset=utf-8"
      }
    var response = Response.bytes(copy.bytes, type: type)
    if format == .html {
      let name = percentEncoded(slug(of: entry.title) + ".html")
      response.headers[.contentDisposition] = "attachment; filename*=UTF-8''\(name)"
      response.headers[.contentSecurityPolicy] = "default-src 'none'; sandbox"
    }
    return response
  }
}
