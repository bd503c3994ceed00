import DiaryCore
import DiaryKit
import Foundation
import HTTPTypes
import HummingbirdCore
import Localization
import NIOCore

extension PageContext {
  /// `GET /f/PATH`: a file of the journal. Media types are detected from the content; any other
  /// file is a download. Scripts in files are never executed.
  func file() throws -> Response {
    let file = try journal.page.file(at: try path())
    let kind = MediaKind(try file.read(at: 0, count: MediaKind.signatureLength))
    // An SVG can contain scripts, but they do not run when a page embeds it as an image.
    let isPicture = request.headers.contains {
      $0.name.canonicalName == "sec-fetch-dest" && $0.value == "image"
    }
    let isShown = kind.map { !$0.isVectorImage || isPicture } ?? false
    var fields: HTTPFields = [
      .contentType: isShown ? kind?.type ?? "" : "application/octet-stream",
      .contentSecurityPolicy: "default-src 'none'; sandbox", .acceptRanges: "bytes",
      .eTag: "\"\(file.tag)\"",
    ]
    // A browser may keep such a file, and asks each time whether it is still the same.
    if isShown, kind?.isVectorImage == false, !server.isEncrypted {
      fields[.cacheControl] = "private, no-cache"
      if request.headers[.ifNoneMatch] == fields[.eTag] {
        fields[.contentType] = nil
        return Response(status: .notModified, headers: fields)
      }
    }
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
        // The file was truncated: close the connection, because the length has been sent already.
        guard !bytes.isEmpty else { throw PageFailure.notFound }
        offset += bytes.count
        try await writer.write(ByteBuffer(bytes: bytes))
      }
      try await writer.finish(nil)
    }
    return Response(status: status, headers: fields, body: body)
  }

  /// Adds an image, audio, video or PDF file to an entry, under a free name; once for each
  /// `Idempotency-Key`.
  func attach() async throws -> Response {
    struct Attached: Encodable { let path: String, markdown: String }
    let file = try await incomingFile()
    // The entry may have been renamed while the file arrived.
    let entry = await followedPath(of: try path())
    guard let kind = MediaKind(try file.read(at: 0, count: MediaKind.signatureLength)) else {
      throw PageFailure(
        status: .unsupportedMediaType, kind: .usage,
        what: localized("only pictures, sound, video and PDF can be added"), hint: nil)
    }
    guard let name = kind.fileName(query("name") ?? "") else { throw PageFailure.malformed }
    let journal = journal
    let key = try idempotencyKey() ?? UUID().uuidString
    let added = try await server.recentChanges.created(forKey: key) {
      let (path, markdown) = try await journal.page.attach(file, named: name, to: entry)
      return .init(path: path, content: markdown)
    }.created
    return try .json(Attached(path: added.path.text, markdown: added.content), status: .created)
  }

  /// Writes the body to a temporary file as it arrives. After a write error the body is still read:
  /// a browser reads no response before it has sent everything.
  private func incomingFile() async throws -> IncomingFile {
    let file = try journal.page.incomingFile()
    var size = 0
    var failure: PageFailure?
    for try await piece in request.body {
      size += piece.readableBytes
      guard size <= server.options.limits.file else { throw PageFailure.tooLarge }
      guard failure == nil else { continue }
      do {
        try file.append(Array(piece.readableBytesView))
      } catch {
        // Classify the error while the file exists: without it the disk may no longer be full.
        failure = server.failure(of: error)
      }
    }
    if let failure { throw failure }
    return file
  }
}
