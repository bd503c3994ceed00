import DiaryCore
import EntryFormats
import Foundation
import Glibc
import Localization
import ZipFiles

/// What one argument of an import names: a folder, an archive, a file, or standard input.
package final class ImportSource: ImportFiles {
  private enum Content {
    /// An absolute path.
    case folder(String)
    case zip(ZipReader)
    case bytes([UInt8])
  }

  /// As the user named it.
  package let shown: String
  package let names: [String]
  /// What had no place among the files, for the user to hear: links in a folder.
  package let skippedLinks: [String]
  private let content: Content
  /// The encoding of texts that are neither UTF-8 nor marked.
  package var encoding: String?
  /// Asks the user for the encoding of a text: hears what is wrong, and how a line of it reads in the
  /// usual ones. `nil` where nobody can be asked.
  package var askEncoding:
    ((_ what: String, _ readings: [(encoding: String, text: String)]) -> String?)?
  private var byLastName: [String: [String]]?
  /// The longest text file that is read, in bytes; a diary of a lifetime has a tenth of it.
  private static let longestText = 1 << 30

  /// Opens a path that the user named; `-` is standard input.
  package init(_ path: String, in environment: RuntimeEnvironment) throws {
    shown = path
    var (links, found): ([String], [String]) = ([], [])
    let place = environment.absolute(path)
    var facts = stat()
    if path != "-", stat(place, &facts) != 0 {
      _ = try environment.contents(of: path)
      throw DiaryError(localized("cannot read \(path)"))
    }
    let kind = path == "-" ? S_IFIFO : facts.st_mode & S_IFMT
    if kind == S_IFDIR {
      content = .folder(place)
      (found, links) = try Self.walk(place, shown: path)
    } else if kind == S_IFREG, Self.isZip(Self.beginning(ofFile: place, 4)) {
      content = .zip(try Self.opened(place, shown: path))
    } else {
      // What comes through a pipe can be read only once.
      let bytes =
        path == "-"
        ? Array(FileHandle.standardInput.readDataToEndOfFile())
        : try environment.contents(of: path)
      if kind != S_IFREG, Self.isZip(bytes) {
        content = .zip(try Self.spooled(bytes, shown: path))
      } else {
        content = .bytes(bytes)
        found = [path == "-" ? path : (place as NSString).lastPathComponent]
      }
    }
    if case .zip(let zip) = content {
      // What macOS puts beside the files of an archive is no part of it.
      found = zip.items.map(\.name).filter { !$0.hasPrefix("__MACOSX/") }.sorted()
    }
    (names, skippedLinks) = (found, links)
  }

  /// Whether it is one file that stands alone.
  package var isSingleFile: Bool { if case .bytes = content { true } else { false } }

  package func text(of name: String) throws -> [UInt8] {
    let bytes = try contents(of: name)
    let full = isSingleFile ? shown : "\(shown): \(name)"
    do throws(EncodingError) {
      return try decodedText(bytes, encoding: encoding)
    } catch {
      let readings = error.line.map { encodingReadings(ofLine: $0, in: bytes) } ?? []
      let refusal = DiaryError(error, in: full)
      if case .broken = error { throw refusal }
      guard let answer = askEncoding?(refusal.what, readings) else { throw refusal }
      encoding = answer
      return try text(of: name)
    }
  }

  package func beginning(of name: String) throws -> [UInt8] {
    switch content {
    case .bytes(let bytes): return Array(bytes.prefix(Self.probed))
    case .folder(let root): return Self.beginning(ofFile: root + "/" + name, Self.probed)
    case .zip(let zip):
      var bytes: [UInt8] = []
      guard let item = zip.item(named: name) else { return [] }
      struct Enough: Error {}
      do {
        try zip.read(item) { piece in
          bytes += piece
          if bytes.count >= Self.probed { throw Enough() }
        }
      } catch is Enough {
      } catch let error as ZipError { throw refused(error) }
      return bytes
    }
  }

  private static let probed = 1 << 16

  /// The length of a file in bytes.
  func size(of name: String) -> Int {
    switch content {
    case .bytes(let bytes): return bytes.count
    case .zip(let zip): return zip.item(named: name)?.size ?? 0
    case .folder(let root):
      var facts = stat()
      return lstat(root + "/" + name, &facts) == 0 ? Int(facts.st_size) : 0
    }
  }

  /// A file's bytes, piece after piece.
  func read(_ name: String, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    switch content {
    case .bytes(let bytes): try bytes.withUnsafeBytes(take)
    case .zip(let zip):
      do {
        guard let item = zip.item(named: name) else { return }
        try zip.read(item, take)
      } catch let error as ZipError { throw refused(error) }
    case .folder(let root):
      let path = root + "/" + name
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { throw unreadable(name) }
      defer { close(descriptor) }
      try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
        while true {
          let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
          if count < 0, errno == EINTR { continue }
          guard count >= 0 else { throw unreadable(name) }
          if count == 0 { break }
          try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
      }
    }
  }

  private func contents(of name: String) throws -> [UInt8] {
    if case .bytes(let bytes) = content { return bytes }
    guard size(of: name) <= Self.longestText else {
      throw DiaryError(localized("cannot import \(shown): \(name) is a text of more than 1 GiB"))
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size(of: name))
    try read(name) { bytes += $0 }
    return bytes
  }

  /// The file that one of the names means: beside `file`, from the top, or anywhere below with the
  /// same last parts.
  func found(_ candidates: [String], beside file: String) -> String? {
    let all = lastNames()
    let folder = (file as NSString).deletingLastPathComponent
    for candidate in candidates {
      let wanted = Self.folded(folder.isEmpty ? candidate : folder + "/" + candidate)
      let top = Self.folded(candidate)
      guard let last = top.split(separator: "/").last.map(String.init) else { continue }
      let same = all[last] ?? []
      if let name = same.first(where: { $0 == wanted }) ?? same.first(where: { $0 == top }) {
        return name
      }
      if let name = same.first(where: { $0.hasSuffix("/" + top) }) { return name }
    }
    return nil
  }

  private func lastNames() -> [String: [String]] {
    if let byLastName { return byLastName }
    let all = Dictionary(grouping: names) { ($0 as NSString).lastPathComponent }
    byLastName = all
    return all
  }

  /// A path with `.` and `..` folded; it never leads above the top.
  static func folded(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  private func refused(_ error: ZipError) -> DiaryError { Self.refused(error, shown) }

  private static func refused(_ error: ZipError, _ shown: String) -> DiaryError {
    DiaryError(
      localized("cannot import \(shown): \(error.description)"),
      hint: localized("nothing was imported; export it anew, or unpack it and name the folder"))
  }

  private func unreadable(_ name: String) -> DiaryError {
    DiaryError(
      localized("cannot read \(shown)/\(name): \(String(cString: strerror(errno)))"),
      hint: localized("nothing was imported"))
  }

  private static func opened(_ path: String, shown: String) throws -> ZipReader {
    do { return try ZipReader(path: path) } catch { throw refused(error, shown) }
  }

  private static func isZip(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6])
  }

  /// An archive from a pipe lies in a file without a name, for an archive is read from its end.
  private static func spooled(_ bytes: [UInt8], shown: String) throws -> ZipReader {
    var template = Array((NSTemporaryDirectory() + "/diary-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    if descriptor >= 0 { unlink(template) }
    guard descriptor >= 0 else {
      throw DiaryError(
        localized(
          "cannot keep the archive from \(shown): \(String(cString: strerror(errno)))"),
        hint: localized("save it to a file and name that"))
    }
    defer { close(descriptor) }
    try FileHandle(fileDescriptor: descriptor).write(contentsOf: bytes)
    return try opened("/proc/self/fd/\(descriptor)", shown: shown)
  }

  private static func beginning(ofFile path: String, _ count: Int) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = Glibc.read(descriptor, &bytes, count)
    return Array(bytes.prefix(max(0, got)))
  }

  /// The ordinary files below a folder, hidden ones left out but for those by which programs are
  /// known; links are not followed.
  private static func walk(
    _ root: String, shown: String
  ) throws -> (files: [String], links: [String]) {
    var (files, links): ([String], [String]) = ([], [])
    let known = [".obsidian"]
    func check(_ folder: String) throws {
      guard access(root + "/" + folder, R_OK | X_OK) != 0 else { return }
      throw DiaryError(
        localized(
          "cannot read \(folder.isEmpty ? shown : shown + "/" + folder): \(String(cString: strerror(errno)))"
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
  /// Why a text cannot be read in an encoding, and what to do.
  init(_ error: EncodingError, in name: String) {
    switch error {
    case .unknown(let line):
      self.init(
        localized("\(name) is not UTF-8 (line \(line))"),
        hint: localized(
          "name its encoding, such as --encoding latin-1, euc-kr or shift-jis; nothing was imported"
        ))
    case .invalid(let encoding, let line):
      self.init(
        localized("\(name) is not a text in \(encoding) (line \(line))"),
        hint: localized("try another --encoding; nothing was imported"))
    case .broken(let line):
      self.init(
        localized("\(name) begins as UTF-16 but is damaged (line \(line))"),
        hint: localized("export it anew; nothing was imported"))
    case .unsupported(let encoding):
      self.init(
        localized("the encoding \(encoding) is not known here"), kind: .usage,
        hint: localized("`iconv --list` shows those that are"))
    }
  }
}
