import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Glibc

extension Journal {
  /// Writes `INDEX.md` when the journal wants one and it has changed. What stands there and is not
  /// Diary's stays: a file of the writer's, a link, a folder, a pipe.
  func writeList() throws {
    guard let path = settings.indexFile, isOwn || settings.indexIsCommitted else { return }
    do {
      try writeList(to: path)
    } catch let error as FileError where error.isOfNoFile {
      return
    }
  }

  private func writeList(to path: EntryPath) throws {
    let count = try catalog.lineCount()
    let stamp = try folder.stamp(path)
    let isAsWritten =
      try stamp.map { stamp in try catalog.remark("list") == remark(stamp) } ?? false
    let changes = try isAsWritten ? catalog.listChanges() : nil
    if let changes, changes.paths.isEmpty { return }
    let present = try folder.read(path)
    if let present, !EntryRules.isMadeByDiary(present.bytes[...]) { return }
    var list = ListText()
    if let present, let changes, let changed = ListText(present.bytes, changes) {
      list = changed
    } else {
      var all = ListFilter()
      all.previews = false
      for entry in try catalog.list(all) { list.append(entry) }
    }
    try folder.writeGenerated(path, list.bytes)
    // An entry that came in between has another count, and the list is made again.
    if let stamp = try folder.stamp(path) {
      try catalog.noteList(count, as: ("list", remark(stamp)))
    }
  }

  /// How `INDEX.md` looked when it was made. The first number is the form's.
  private func remark(_ stamp: FileStamp) -> String {
    "3 \(stamp.size) \(stamp.modified) \(stamp.inode)"
  }
}

/// The text of `INDEX.md`: a line for each entry, `- 2026-11-21 🌧️ [title](path)`, the same on every
/// device, in every language.
struct ListText {
  private(set) var bytes = Array((EntryRules.listMarker + "\n\n").utf8)

  /// One without a line.
  init() {}

  /// The text that was written last, brought up to these changes; `nil` when it is not what it should
  /// be.
  init?(_ written: [UInt8], _ changes: ListChanges) {
    let start = bytes.count
    let named = changes.paths + changes.lines.compactMap(\.before)
    // Two paths that are no UTF-8 may show as the same.
    guard written.starts(with: bytes), named.allSatisfy(\.isText) else {
      return nil
    }
    bytes = written
    for path in changes.paths {
      if let line = line(of: path) { bytes.removeSubrange(line) }
    }
    for line in changes.lines {
      var place = start
      if let before = line.before {
        guard let found = self.line(of: before) else { return nil }
        place = found.upperBound
      }
      bytes.insert(contentsOf: Self.line(line.entry), at: place)
    }
    guard bytes[start...].count(where: { $0 == UInt8(ascii: "\n") }) == changes.count else {
      return nil
    }
  }

  /// Adds the line of the next entry.
  mutating func append(_ entry: ListedEntry) { bytes += Self.line(entry) }

  /// Where the line of a path is, with its end. No title can end a line as its path does: brackets in
  /// a title are quoted, and in a path they are escaped.
  private func line(of path: EntryPath) -> Range<Int>? {
    let end = Array("](\(Self.target(path)))\n".utf8)
    return bytes.withUnsafeBytes { text in
      guard let base = text.baseAddress else { return nil }
      var at = 0
      while let found = memchr(base + at, Int32(UInt8(ascii: "]")), text.count - at) {
        at = UnsafeRawPointer(found) - base
        if text[at...].starts(with: end) {
          let start = text[..<at].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
          return start..<(at + end.count)
        }
        at += 1
      }
      return nil
    }
  }

  private static func line(_ entry: ListedEntry) -> [UInt8] {
    var text = Array("- ".utf8)
    text += (entry.day?.description ?? "undated").utf8
    if let icon = entry.weather?.icon(isNight: false), !icon.isEmpty { text += (" " + icon).utf8 }
    text += " [".utf8
    for byte in entry.title.utf8 {
      if byte == UInt8(ascii: "[") || byte == UInt8(ascii: "]") { text.append(UInt8(ascii: "\\")) }
      text.append(byte)
    }
    text += "](\(target(entry.path)))\n".utf8
    return text
  }

  /// The path as it is, for it is read in an editor: only signs that would end or change a link's target
  /// are written as `%XX`, and one with blanks or brackets stands in `<…>`.
  private static func target(_ path: EntryPath) -> String {
    var target = ""
    for scalar in path.text.unicodeScalars {
      if needsEscape(scalar) {
        target += String(scalar).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      } else {
        target.unicodeScalars.append(scalar)
      }
    }
    return target.contains { " ()".contains($0) } ? "<" + target + ">" : target
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    case .spaceSeparator: return scalar != " "
    default: return "%\\#?&[]<>`".unicodeScalars.contains(scalar)
    }
  }
}
