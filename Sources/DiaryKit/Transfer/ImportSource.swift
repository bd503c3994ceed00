import DiaryCore
import EntryFormats
import Foundation
import Glibc
import Localization
import ZipFiles

/// The input of one import argument: a folder, an archive, a file, or standard input.
package final class ImportSource: ImportFiles {
  private enum Content {
    /// An absolute path.
    case folder(String)
    case zip(ZipReader)
    case bytes([UInt8])
  }

  /// The path as the user typed it.
  package let displayPath: String
  /// The absolute path; `nil` for standard input.
  let location: String?
  package let names: [String]
  /// Symbolic links in the folder, which are not followed.
  package let skippedLinks: [String]
  private let content: Content
  /// The encoding of texts that are not UTF-8 and have no byte order mark.
  package var encoding: String?
  /// Asks the user for the encoding of a text. Receives the problem and one line of the text,
  /// decoded in the usual encodings. `nil` if the user cannot be asked.
  package var askEncoding:
    ((_ what: String, _ readings: [(encoding: String, text: String)]) -> String?)?
  private var cachedNamesByLastComponent: [String: [String]]?
  /// The longest text file that is read, in bytes. A lifetime's diary is a tenth of that.
  private static let maxTextSize = 1 << 30

  /// Opens the path that the user gave; `-` is standard input.
  package init(_ path: String, for journal: Journal) throws {
    let environment = journal.environment
    displayPath = path
    var (links, found): ([String], [String]) = ([], [])
    let absolutePath = environment.absolutePath(of: path)
    location = path == "-" ? nil : absolutePath
    var status = stat()
    if path != "-", stat(absolutePath, &status) != 0 {
      _ = try environment.contents(of: path)
      throw DiaryError(localized("cannot read \(path)"))
    }
    let kind = path == "-" ? S_IFIFO : status.st_mode & S_IFMT
    if kind == S_IFDIR {
      content = .folder(absolutePath)
      (found, links) = try Self.listFiles(absolutePath, displayPath: path)
    } else if kind == S_IFREG, Self.isZip(Self.beginning(ofFile: absolutePath, 4)) {
      content = .zip(try Self.openZip(absolutePath, displayPath: path))
    } else {
      // A pipe can be read only once.
      let bytes =
        path == "-"
        ? Array(FileHandle.standardInput.readDataToEndOfFile())
        : try environment.contents(of: path)
      if kind != S_IFREG, Self.isZip(bytes) {
        content = .zip(try Self.spoolZip(bytes, for: journal, displayPath: path))
      } else {
        content = .bytes(bytes)
        found = [path == "-" ? path : (absolutePath as NSString).lastPathComponent]
      }
    }
    if case .zip(let zip) = content {
      // The metadata that macOS adds to archives is not part of the content.
      found = zip.items.map(\.name).filter { !$0.hasPrefix("__MACOSX/") }.sorted()
    }
    (names, skippedLinks) = (found, links)
  }

  package var isArchive: Bool { if case .zip = content { true } else { false } }

  /// True if the source is a single file.
  package var isSingleFile: Bool { if case .bytes = content { true } else { false } }

  package func text(of name: String) throws -> [UInt8] {
    let bytes = try contents(of: name)
    let full = isSingleFile ? displayPath : "\(displayPath): \(name)"
    do throws(TextEncodingError) {
      return try decodedText(bytes, encoding: encoding)
    } catch {
      let readings = error.line.map { encodingSamples(ofLine: $0, in: bytes) } ?? []
      let refusal = DiaryError(error, in: full)
      if case .invalidUTF16 = error { throw refusal }
      guard let answer = askEncoding?(refusal.message, readings) else { throw refusal }
      encoding = answer
      return try text(of: name)
    }
  }

  package func beginning(of name: String) throws -> [UInt8] {
    switch content {
    case .bytes(let bytes): return Array(bytes.prefix(Self.probeSize))
    case .folder(let root): return Self.beginning(ofFile: root + "/" + name, Self.probeSize)
    case .zip(let zip):
      var bytes: [UInt8] = []
      guard let item = zip.item(named: name) else { return [] }
      struct Enough: Error {}
      do {
        try zip.read(item) { piece in
          bytes += piece
          if bytes.count >= Self.probeSize { throw Enough() }
        }
      } catch is Enough {
      } catch let error as ZipError { throw importError(error) }
      return bytes
    }
  }

  private static let probeSize = 1 << 16

  /// Returns the length of a file in bytes.
  func size(of name: String) -> Int {
    switch content {
    case .bytes(let bytes): return bytes.count
    case .zip(let zip): return zip.item(named: name)?.size ?? 0
    case .folder(let root):
      var status = stat()
      return lstat(root + "/" + name, &status) == 0 ? Int(status.st_size) : 0
    }
  }

  /// Reads a file in pieces.
  func read(_ name: String, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
    switch content {
    case .bytes(let bytes): try bytes.withUnsafeBytes(receive)
    case .zip(let zip):
      do {
        guard let item = zip.item(named: name) else { return }
        try zip.read(item, receive)
      } catch let error as ZipError { throw importError(error) }
    case .folder(let root):
      let path = root + "/" + name
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { throw readError(name) }
      defer { close(descriptor) }
      try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
        while true {
          let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
          if count < 0, errno == EINTR { continue }
          guard count >= 0 else { throw readError(name) }
          if count == 0 { break }
          try receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
      }
    }
  }

  private func contents(of name: String) throws -> [UInt8] {
    if case .bytes(let bytes) = content { return bytes }
    guard size(of: name) <= Self.maxTextSize else {
      throw DiaryError(
        localized("cannot import \(displayPath): the text \(name) is larger than 1 GiB"))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size(of: name))
    try read(name) { bytes += $0 }
    return bytes
  }

  /// Returns the file that one of `candidates` refers to: relative to `file`, from the top, or
  /// anywhere below with the same last path components.
  func file(matching candidates: [String], relativeTo file: String) -> String? {
    let all = namesByLastComponent()
    let folder = (file as NSString).deletingLastPathComponent
    for candidate in candidates {
      let wanted = Self.normalizedPath(folder.isEmpty ? candidate : folder + "/" + candidate)
      let top = Self.normalizedPath(candidate)
      guard let last = top.split(separator: "/").last.map(String.init) else { continue }
      let same = all[last] ?? []
      if let name = same.first(where: { $0 == wanted }) ?? same.first(where: { $0 == top }) {
        return name
      }
      if let name = same.first(where: { $0.hasSuffix("/" + top) }) { return name }
    }
    return nil
  }

  private func namesByLastComponent() -> [String: [String]] {
    if let cachedNamesByLastComponent { return cachedNamesByLastComponent }
    let all = Dictionary(grouping: names) { ($0 as NSString).lastPathComponent }
    cachedNamesByLastComponent = all
    return all
  }

  /// Returns the path without `.` and `..`. It never leads above the top.
  static func normalizedPath(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  private func importError(_ error: ZipError) -> DiaryError { Self.importError(error, displayPath) }

  private static func importError(_ error: ZipError, _ displayPath: String) -> DiaryError {
    DiaryError(
      localized("cannot import \(displayPath): \(error.description)"),
      hint: localized("nothing was imported; export it again, or unpack it and import the folder"))
  }

  private func readError(_ name: String) -> DiaryError {
    DiaryError(
      localized("cannot read \(displayPath)/\(name): \(String(cString: strerror(errno)))"),
      hint: localized("nothing was imported"))
  }

  private static func openZip(_ path: String, displayPath: String) throws -> ZipReader {
    do { return try ZipReader(path: path) } catch { throw importError(error, displayPath) }
  }

  /// True if a file with these first bytes is a zip.
  static func isZip(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }

  /// Copies an archive from a pipe to a file, because an archive is read from its end. The file is in
  /// the journal's private folder, which may be encrypted, and has a name until it is open.
  private static func spoolZip(
    _ bytes: [UInt8], for journal: Journal, displayPath: String
  ) throws -> ZipReader {
    try journal.makeStateFolder()
    journal.transfer.removeStaleTemporaryFiles()
    let path = journal.stateFolder + "/import.\(getpid()).part"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DiaryError(
        localized(
          "cannot store the archive from \(displayPath): \(String(cString: strerror(errno)))"),
        hint: localized("save it to a file and import the file"))
    }
    defer {
      close(descriptor)
      unlink(path)
    }
    try FileHandle(fileDescriptor: descriptor).write(contentsOf: bytes)
    return try openZip(path, displayPath: displayPath)
  }

  private static func beginning(ofFile path: String, _ count: Int) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = Glibc.read(descriptor, &bytes, count)
    return Array(bytes.prefix(max(0, got)))
  }

  /// Returns the regular files and the links below a folder. Hidden files are skipped, except those
  /// that identify a program. Links are not followed.
  private static func listFiles(
    _ root: String, displayPath: String
  ) throws -> (files: [String], links: [String]) {
    var (files, links): ([String], [String]) = ([], [])
    let known = [".obsidian"]
    func check(_ folder: String) throws {
      guard access(root + "/" + folder, R_OK | X_OK) != 0 else { return }
      throw DiaryError(
        localized(
          "cannot read \(folder.isEmpty ? displayPath : displayPath + "/" + folder): \(String(cString: strerror(errno)))"
        ),
        hint: localized("nothing was imported"))
    }
    try check("")
    guard let walker = FileManager.default.enumerator(atPath: root) else { return ([], []) }
    for case let name as String in walker {
      let last = (name as NSString).lastPathComponent
      if last.hasPrefix("."), !known.contains(last), !name.hasPrefix(".obsidian/") {
        if walker.fileAttributes?[.type] as? FileAttributeType == .typeDirectory {
          walker.skipDescendants()
        }
        continue
      }
      switch walker.fileAttributes?[.type] as? FileAttributeType {
      case .typeRegular: files.append(name)
      case .typeDirectory: try check(name)
      case .typeSymbolicLink: links.append(name)
      default: break
      }
    }
    return (files.sorted(), links.sorted())
  }
}

extension DiaryError {
  /// Creates the error for a text that cannot be decoded, with a hint.
  init(_ error: TextEncodingError, in name: String) {
    switch error {
    case .unknown(let line):
      self.init(
        localized("\(name) is not UTF-8 (line \(line))"),
        hint: localized(
          "name its encoding, such as --encoding latin-1, euc-kr or shift-jis; nothing was imported"
        ))
    case .invalid(let encoding, let line):
      self.init(
        localized("\(name) is not valid \(encoding) text (line \(line))"),
        hint: localized("try another --encoding; nothing was imported"))
    case .invalidUTF16(let line):
      self.init(
        localized("\(name) begins as UTF-16 but is damaged (line \(line))"),
        hint: localized("export it again; nothing was imported"))
    case .unsupported(let encoding):
      self.init(
        localized("unknown encoding: \(encoding)"), kind: .usage,
        hint: localized("`iconv --list` lists the known encodings"))
    }
  }
}
