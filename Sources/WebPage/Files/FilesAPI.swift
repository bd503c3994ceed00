import DiaryCore
import DiaryKit
import HTTPTypes
import HummingbirdCore
import Localization
import NIOCore

extension PageContext {
  /// A file of the journal. What can be looked at or listened to has the type that its bytes tell; all
  /// else is only saved. Nothing in it runs, whatever it is.
  func file() throws -> Response {
    let file = try journal.file(at: try path())
    let kind = MediaKind(try file.read(at: 0, count: MediaKind.signatureLength))
    // A drawing can hold scripts. As a picture of a page it has none.
    let isPicture = request.headers.contains {
      $0.name.canonicalName == "sec-fetch-dest" && $0.value == "image"
    }
    let isShown = kind.map { !$0.isVectorImage || isPicture } ?? false
    var fields: HTTPFields = [
      .contentType: isShown ? kind?.type ?? "" : "application/octet-stream",
      .contentSecurityPolicy: "default-src 'none'; sandbox", .acceptRanges: "bytes",
      .eTag: "\"\(file.tag)\"",
    ]
    if !isShown {
      fields[.contentDisposition] =
        "attachment; filename*=UTF-8''" + percentEncoded(try path().name)
    }
    let isSame = request.headers[.ifRange].map { $0 == fields[.eTag] } ?? true
    switch ByteRange(isSame ? request.headers[.range] : nil, size: file.size) {
    case .all: return fileResponse(file, 0..<file.size, .ok, fields)
    case .part(let range):
      fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
      return fileResponse(file, range, .partialContent, fields)
    case .unsatisfiable:
      fields[.contentRange] = "bytes */\(file.size)"
      return Response(status: .rangeNotSatisfiable, headers: fields)
    }
  }

  private func fileResponse(
    _ file: JournalFile, _ range: Range<Int>, _ status: HTTPResponse.Status, _ fields: HTTPFields
  ) -> Response {
    let body = ResponseBody(contentLength: range.count) { writer in
      var offset = range.lowerBound
      while offset < range.upperBound {
        let bytes = try file.read(at: offset, count: min(1 << 17, range.upperBound - offset))
        // It has become shorter: the connection ends, for its length is told already.
        guard !bytes.isEmpty else { throw PageFailure.notFound }
        offset += bytes.count
        try await writer.write(ByteBuffer(bytes: bytes))
      }
      try await writer.finish(nil)
    }
    return Response(status: status, headers: fields, body: body)
  }

  /// Takes in a picture, a sound, a video or a PDF for an entry, under a name that is free.
  func attach() async throws -> Response {
    struct Attached: Encodable { let path: String, markdown: String }
    let entry = try path()
    let file = try await incomingFile()
    guard let kind = MediaKind(try file.read(at: 0, count: MediaKind.signatureLength)) else {
      throw PageFailure(
        status: .unsupportedMediaType, kind: .usage,
        what: localized("only pictures, sound, video and PDF can be added"), hint: nil)
    }
    guard let name = kind.fileName(query("name") ?? "") else { throw PageFailure.malformed }
    let (path, markdown) = try await journal.attach(file, named: name, to: entry)
    return try .json(Attached(path: path.text, markdown: markdown), status: .created)
  }

  /// The body, in a file as it comes. What cannot be written is read all the same: a browser hears no
  /// answer before it has sent all.
  private func incomingFile() async throws -> IncomingFile {
    let file = try journal.incomingFile()
    var size = 0
    var failure: PageFailure?
    for try await piece in request.body {
      size += piece.readableBytes
      guard size <= server.options.limits.file else { throw PageFailure.tooLarge }
      guard failure == nil else { continue }
      do {
        try file.append(Array(piece.readableBytesView))
      } catch {
        // Told while the file is there: without it the disk is full no more.
        failure = server.failure(of: error)
      }
    }
    if let failure { throw failure }
    return file
  }
}
