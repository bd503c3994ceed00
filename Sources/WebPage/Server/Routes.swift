import HTTPTypes
import HummingbirdCore

/// A route: a method, an address pattern and a handler.
struct Route: Sendable {
  let method: HTTPRequest.Method
  /// The address; it may contain one `*`, whose match is passed to the handler.
  let pattern: String
  let handler: @Sendable (PageContext) async throws -> Response

  init(
    _ method: HTTPRequest.Method, _ pattern: String,
    _ answer: @escaping @Sendable (PageContext) async throws -> Response
  ) {
    self.method = method
    self.pattern = pattern
    self.handler = answer
  }

  /// The match of the `*`, empty without one; `nil` if the address does not match.
  func wildcardMatch(in path: String) -> Substring? {
    guard let star = pattern.firstIndex(of: "*") else { return path == pattern ? "" : nil }
    let (start, end) = (pattern[..<star], pattern[pattern.index(after: star)...])
    guard path.utf8.count > start.utf8.count + end.utf8.count, path.hasPrefix(start),
      path.hasSuffix(end)
    else { return nil }
    return path.dropFirst(start.count).dropLast(end.count)
  }

  /// The routes. The first match is used. `HEAD` is handled as `GET`.
  static let table: [Route] = [
    Route(.get, "/open") { $0.signInDocument() },
    Route(.post, "/open") { try await $0.signIn() },
    Route(.get, "/a/*") { try $0.asset() },
    Route(.get, "/events") { try $0.events() },
    Route(.get, "/f/*") { try $0.file() },
    Route(.get, "/t/*") { try $0.thumbnail() },
    Route(.put, "/t/*") { try await $0.saveThumbnail() },
    Route(.post, "/api/entries/*/files") { try await $0.attach() },
    Route(.get, "/") { try await $0.listDocument() },
    Route(.get, "/r/*") { try await $0.readingRedirect() },
    Route(.get, "/h/*") { try await $0.historyDocument() },
    Route(.get, "/deleted") { try await $0.deletedDocument() },
    Route(.get, "/pictures") { try await $0.picturesDocument() },
    Route(.get, "/new") { try $0.newDocument() },
    Route(.get, "/e/*") { try await $0.writeDocument() },
    Route(.get, "/api/entries") { try await $0.entries() },
    Route(.post, "/api/entries") { try await $0.create() },
    Route(.get, "/api/entries/*") { try await $0.entry() },
    Route(.put, "/api/entries/*") { try await $0.save() },
    Route(.patch, "/api/entries/*") { try await $0.changeFields() },
    Route(.post, "/api/entries/*/left") { try await $0.finishEditing() },
    Route(.delete, "/api/entries/*") { try await $0.delete() },
    Route(.post, "/api/undo/*") { try await $0.undoDeletion() },
    Route(.post, "/api/steps/*") { try await $0.reverseStep() },
    Route(.post, "/api/restore/*") { try await $0.restoreVersion() },
    Route(.get, "/api/share/*") { try await $0.share() },
    Route(.get, "/api/calendar/*") { try await $0.calendar() },
    Route(.get, "/api/tags") { try await $0.tags() },
    Route(.get, "/api/status") { try await $0.status() },
    Route(.put, "/api/weather") { try await $0.setWeather() },
  ]
}
