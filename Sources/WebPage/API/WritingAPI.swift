import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// `GET /e/PATH`: the writing screen of an entry. An address from before a renaming leads on.
  func writeDocument() async throws -> Response {
    let path = try path()
    let place = await place(of: path)
    if place != path {
      return Response(
        status: .permanentRedirect, headers: [.location: "/e/" + place.percentEncoded])
    }
    let reader = reader
    let entry = PageEntry(try await journal.editable(path), for: reader)
    return .document(WriteDocument(entry: entry).html(for: reader, server.assets))
  }

  /// `GET /new`: the writing screen without an entry yet.
  func newDocument() throws -> Response {
    if isReadOnly { throw PageFailure.readOnly }
    return .document(WriteDocument().html(for: reader, server.assets))
  }

  /// `GET /api/entries/PATH`.
  func entry() async throws -> Response {
    let entry = try await journal.editable(await place(of: try path()))
    let tag = "\"\(entry.version)\""
    if request.headers[.ifNoneMatch] == tag {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    var response = try Response.json(PageEntry(entry, for: reader))
    response.headers[.eTag] = tag
    return response
  }

  /// `POST /api/entries`: makes an entry of its first words, once for each `Idempotency-Key`.
  func create() async throws -> Response {
    let sent = try await json(SentText.self)
    guard let key = HTTPField.Name("idempotency-key").flatMap({ request.headers[$0] }),
      key.utf8.count <= 100
    else { throw PageFailure.malformed }
    let journal = journal
    let made = try await server.memory.entry(of: key) {
      try await journal.create(title: sent.title, body: sent.body)
    }
    var place = await place(of: made.entry.path)
    if !made.isFirst {
      // The first answer was lost, and more may have been written since.
      let outcome = try await journal.write(
        place, title: sent.title, body: sent.body, from: made.entry.version)
      guard case .written = outcome else { return try await answer(outcome, at: place, sent) }
    }
    if sent.leaving == true { place = try await leave(place) ?? place }
    let entry = try await journal.editable(place)
    var answer = PageEntry(entry, for: reader)
    // A template may have words of its own, which the page must hold too, or its next save takes them out.
    if let text = entry.text,
      text.bytes(title: sent.title, body: sent.body) != entry.content.bytes
    {
      answer.text = PageText(title: text.title, body: text.body)
    }
    return try .json(answer, status: .created)
  }

  /// `PUT /api/entries/PATH`: saves what a page holds, merged with what came from elsewhere.
  func save() async throws -> Response {
    let path = await place(of: try path())
    guard let version = request.headers[.ifMatch].map({ $0.filter { $0 != "\"" } }),
      !version.isEmpty
    else { throw PageFailure.noVersion }
    let sent = try await json(SentText.self)
    let outcome = try await journal.write(
      path, title: sent.title, body: sent.body, from: version)
    return try await answer(outcome, at: path, sent)
  }

  private func answer(
    _ outcome: WriteOutcome, at path: EntryPath, _ sent: SentText
  ) async throws -> Response {
    switch outcome {
    case .written(let entry, let isMerged, let keptBoth):
      let place = sent.leaving == true ? try await leave(path) ?? path : path
      let page = PageEntry(entry, for: reader)
      let text = PageText(title: page.editableTitle, body: page.body)
      return try .json(
        SavedAnswer(
          version: entry.version, text: isMerged ? text : nil, keptBoth: keptBoth,
          moved: place == (try self.path()) ? nil : "/e/" + place.inAddress))
    case .deleted: throw PageFailure.deleted
    case .held(let program):
      return try .json(
        RefusedSave(
          what: localized("open in \(program)"), kind: .held, heldBy: program, entry: nil),
        status: HTTPResponse.Status(code: 423, reasonPhrase: "Locked"))
    case .unknownVersion(let entry):
      return try .json(
        RefusedSave(
          what: localized("the entry is another one by now"), kind: .failed, heldBy: nil,
          entry: PageEntry(entry, for: reader)),
        status: .conflict)
    }
  }

  /// `POST /api/entries/PATH/left`: names a new entry by its title. Answers where the entry is now.
  func left() async throws -> Response {
    struct Answer: Encodable { let path: String? }
    let place = try await leave(await place(of: try path()))
    return try .json(Answer(path: place?.text))
  }

  private func leave(_ path: EntryPath) async throws -> EntryPath? {
    let place = try await journal.leave(path)
    if let place { await server.memory.move(path, to: place) }
    return place
  }
}
