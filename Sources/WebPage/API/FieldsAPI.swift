import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// The fields that the page changes; one that is missing stays.
  private struct SubmittedFields: Decodable {
    let starred: Bool?
    /// All tags of the header.
    let tags: [String]?
    let date: String?
    let place: String?
  }

  private struct FieldsResponse: Encodable {
    /// The present entry, with the version from which the text goes on.
    let entry: PageEntry
    /// The new address of the entry, if it has changed.
    let moved: String?
    /// Notes for the user about the move.
    let notes: [String]
  }

  /// `PATCH /api/entries/PATH` with `If-Match`: changes star, tags, date or place. The text stays, and
  /// a save of it can be under way.
  func changeFields() async throws -> Response {
    let path = await followedPath(of: try path())
    let version = try version()
    guard let sent = decodedJSON(SubmittedFields.self, try await body(maxBytes: 1 << 16)) else {
      throw PageFailure.malformed
    }
    let outcome = try await journal.page.change(
      path,
      FieldChanges(
        isStarred: sent.starred, tags: sent.tags, date: sent.date, place: sent.place),
      from: version)
    switch outcome {
    case .changed(let entry, let renamed):
      await server.recentChanges.recordMove(path, to: entry.path)
      return try .json(
        FieldsResponse(
          entry: PageEntry(entry, for: user),
          moved: entry.path == (try self.path()) ? nil : "/e/" + entry.path.urlPath,
          notes: renamed.map(notes) ?? []))
    case .deleted: throw PageFailure.deleted
    case .held(let program): return try heldResponse(program)
    case .refused(let reason):
      throw PageFailure(
        status: .conflict, kind: .failed, what: reason,
        hint: localized("change it in your editor"))
    }
  }

  private func notes(on renamed: RenameOutcome) -> [String] {
    let stale = renamed.filesWithStaleLinks.count
    return [
      renamed.hasOldWeather ? localized("The weather is still that of the old date.") : nil,
      stale > 0
        ? localized("Files that still link to the old name: \("\(stale)")") : nil,
    ].compactMap(\.self)
  }

  /// `GET /api/tags`: the journal's tags, for completion.
  func tags() async throws -> Response {
    struct Answer: Encodable { let tags: [String] }
    return try .json(Answer(tags: try await journal.catalog.tags().map { terminalLine($0.tag) }))
  }
}
