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
    let kind = MediaKind(try file.read(at: 0, count: MediaKind.needed))
    // A drawing can hold scripts. As a picture of a page it has none.
    let isPicture = request.headers.contains {
      $0.name.canonicalName == "sec-fetch-dest" && $0.value == "image"
    }
    let isShown = kind.map { !$0.isDrawing || isPicture } ?? false
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
    case .all: return part(of: file, 0..<file.size, .ok, fields)
    case .part(let range):
      fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
      return part(of: file, range, .partialContent, fields)
    case .none:
      fields[.contentRange] = "bytes */\(file.size)"
      return Response(status: .rangeNotSatisfiable, headers: fields)
    }
  }

  private func part(
    of file: JournalFile, _ range: Range<Int>, _ status: HTTPResponse.Status, _ fields: HTTPFields
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
    let bytes = try await body(most: server.options.limits.file)
    guard let kind = MediaKind(bytes) else {
      throw PageFailure(
        status: .unsupportedMediaType, kind: .usage,
        what: localized("only pictures, sound, video and PDF can be added"), hint: nil)
    }
    guard let name = Self.fileName(query("name") ?? "", kind) else { throw PageFailure.malformed }
    let (path, markdown) = try await journal.attach(bytes, named: name, to: entry)
    return try .json(Attached(path: path.text, markdown: markdown), status: .created)
  }

  /// The name that a file gets: as it was sent, with the ending of what it is. `nil` for what cannot be a
  /// file's name in the journal.
  static func fileName(_ sent: String, _ kind: MediaKind) -> String? {
    guard let path = EntryPath(sent), path.names.count == 1, !path.isHidden,
      terminalName(sent) == sent, !sent.contains("\t")
    else { return nil }
    let name = kind.endings.contains(path.fileExtension) ? sent : "\(sent).\(kind.endings[0])"
    return name.utf8.count <= 200 ? name : nil
  }
}
