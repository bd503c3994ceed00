import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// `GET /e/PATH`: an entry for reading and writing. The address of a renamed entry is redirected.
  func writeDocument() async throws -> Response {
    let path = try path()
    let currentPath = await followedPath(of: path)
    if currentPath != path { return redirect(to: currentPath) }
    let user = user
    let entry = try await journal.page.editable(path)
    let article = article(of: entry.summary, entry.content, editedAs: entry.text, user)
    return .document(
      WriteDocument(
        entry: PageEntry(entry, for: user), article: article, fileLimit: server.options.limits.file
      ).html(for: user, server.assets))
  }

  /// `GET /new`: the writing screen for a new entry; with `template=NAME`, with the template's text.
  func newDocument() throws -> Response {
    if isReadOnly { throw PageFailure.readOnly }
    let (entries, template) = (journal.entries, query("template"))
    let usual = journal.settings.template
    var new = WriteDocument.New(
      templates: entries.templateNames.filter { $0 != usual }, template: template ?? "")
    do {
      new.text = try entries.templateText(named: template)
    } catch let error as DiaryError where template != nil {
      throw PageFailure(
        status: .badRequest, kind: .usage, what: error.message, hint: error.hint)
    } catch {
      // Without the usual template, an entry begins empty.
    }
    return .document(
      WriteDocument(new: new, fileLimit: server.options.limits.file).html(for: user, server.assets))
  }

  /// `GET /api/entries/PATH`: an entry for editing.
  func entry() async throws -> Response {
    let entry = try await journal.page.editable(await followedPath(of: try path()))
    let tag = "\"\(entry.version)\""
    if request.headers[.ifNoneMatch] == tag {
      return Response(status: .notModified, headers: [.eTag: tag])
    }
    var response = try Response.json(PageEntry(entry, for: user))
    response.headers[.eTag] = tag
    return response
  }

  /// `POST /api/entries`: creates an entry from its first text, once for each `Idempotency-Key`.
  func create() async throws -> Response {
    let sent = try await json(SubmittedText.self)
    guard let key = try idempotencyKey() else { throw PageFailure.malformed }
    let journal = journal
    let (created, isFirst) = try await server.recentChanges.created(forKey: key) {
      let entry = try await journal.page.create(
        title: sent.title, body: sent.body, template: sent.template, zone: sent.zone,
        canBeBlank: sent.hasFiles == true)
      return .init(path: entry.path, content: entry.version, sent: sent)
    }
    var currentPath = await currentPath(of: created.path)
    if !isFirst, !sent.isEarlier(than: created.sent) {
      // The first response was lost, and the user may have written more since.
      let path = currentPath
      let outcome = try await server.recentChanges.save(sent, from: created.content) { earlier in
        try await journal.page.write(
          path, title: sent.title, body: sent.body, from: created.content,
          after: earlier.map { ($0.title, $0.body) })
      }
      if let outcome {
        guard case .written = outcome else {
          return try await saveResponse(outcome, at: path, sent)
        }
      }
    }
    if sent.leaving == true { currentPath = try await finishEditing(currentPath) ?? currentPath }
    let entry = try await journal.page.editable(currentPath)
    var answer = PageEntry(entry, for: user)
    // The page must also get the text of a template, or its next save would remove it.
    if let text = entry.text,
      text.bytes(title: sent.title, body: sent.body) != entry.content.bytes
    {
      answer.text = PageText(title: text.title, body: text.body)
    }
    return try .json(answer, status: .created)
  }

  /// `PUT /api/entries/PATH`: saves the page's text, merged with changes made elsewhere.
  func save() async throws -> Response {
    let address = try path()
    let version = try version()
    let sent = try await json(SubmittedText.self)
    let outcome = try await server.recentChanges.save(sent, from: version) { earlier in
      // A save before may have moved it.
      try await journal.page.write(
        await followedPath(of: address), title: sent.title, body: sent.body, from: version,
        after: earlier.map { ($0.title, $0.body) })
    }
    let path = await followedPath(of: address)
    if let outcome { return try await saveResponse(outcome, at: path, sent) }
    // A later text of the page has arrived before this one.
    let entry = try await journal.page.editable(path)
    return try await saveResponse(
      .written(entry, merged: true, keptBoth: false), at: path, sent)
  }

  /// The version of `If-Match`, from which a change was made.
  func version() throws -> String {
    guard let version = request.headers[.ifMatch].map({ $0.filter { $0 != "\"" } }),
      !version.isEmpty
    else { throw PageFailure.missingVersion }
    return version
  }

  /// The response if a program has the entry open.
  func heldResponse(_ program: String) throws -> Response {
    try .json(
      SaveRefusal(what: localized("open in \(program)"), kind: .held, heldBy: program, entry: nil),
      status: HTTPResponse.Status(code: 423, reasonPhrase: "Locked"))
  }

  private func saveResponse(
    _ outcome: WriteOutcome, at path: EntryPath, _ sent: SubmittedText
  ) async throws -> Response {
    switch outcome {
    case .written(let entry, let isMerged, let keptBoth):
      let currentPath = sent.leaving == true ? try await finishEditing(path) ?? path : path
      let page = PageEntry(entry, for: user)
      let text = PageText(title: page.editableTitle, body: page.body)
      return try .json(
        SaveResponse(
          version: entry.version, words: page.words, text: isMerged ? text : nil,
          keptBoth: keptBoth,
          moved: currentPath == (try self.path()) ? nil : "/e/" + currentPath.urlPath))
    case .deleted: throw PageFailure.deleted
    case .held(let program): return try heldResponse(program)
    case .unknownVersion(let entry):
      return try .json(
        SaveRefusal(
          what: localized("the entry was changed in the meantime"), kind: .failed, heldBy: nil,
          entry: PageEntry(entry, for: user)),
        status: .conflict)
    }
  }

  /// `POST /api/entries/PATH/left`: names a new entry by its title. Returns its current path.
  func finishEditing() async throws -> Response {
    struct Answer: Encodable { let path: String?, href: String? }
    let currentPath = try await finishEditing(await currentPath(of: try path()))
    return try .json(
      Answer(path: currentPath?.text, href: currentPath.map { "/e/" + $0.urlPath }))
  }

  private func finishEditing(_ path: EntryPath) async throws -> EntryPath? {
    let currentPath = try await journal.page.finishEditing(path)
    if let currentPath { await server.recentChanges.recordMove(path, to: currentPath) }
    return currentPath
  }
}
