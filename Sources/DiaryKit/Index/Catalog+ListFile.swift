import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Glibc

extension Catalog {
  /// Updates the index and the list file for the whole folder.
  func updateIndexAndList() async throws {
    try await updateIndex()
    try writeListFile()
  }

  /// Writes `INDEX.md` if the journal has one and it has changed. Anything else at that path stays:
  /// a user's file, a link, a folder, a pipe.
  func writeListFile() throws {
    guard let path = journal.settings.indexFile,
      journal.isCreatedByDiary || journal.settings.indexIsCommitted
    else {
      return
    }
    do {
      try writeListFile(to: path)
    } catch let error as FileError where error.isNotAFile {
      return
    }
  }

  private func writeListFile(to path: EntryPath) throws {
    let lines = try journal.indexDatabase.listVersion()
    if let stamp = try journal.folder.signature(of: path),
      try journal.indexDatabase.metadata("list") == listFileSignature(lines, stamp)
    {
      return
    }
    var all = ListFilter()
    all.needsPreviews = false
    var list = ListText()
    for entry in try journal.indexDatabase.list(all) { list.append(entry) }
    guard try journal.folder.writeListFile(path, list.bytes) != .ownedByUser else { return }
    // If an entry was added in between, the list has another version and is written again.
    if let stamp = try journal.folder.signature(of: path) {
      try journal.indexDatabase.setMetadata("list", listFileSignature(lines, stamp))
    }
  }

  /// The signature of `INDEX.md` and the version of its lines. The first number is the format's.
  private func listFileSignature(_ lines: String, _ stamp: FileSignature) -> String {
    "3 \(lines) \(stamp.size) \(stamp.modified) \(stamp.inode)"
  }
}

/// The text of `INDEX.md`: a line for each entry, `- 2026-11-21 🌧️ [title](path)`, the same on
/// every device, in every language.
struct ListText {
  private(set) var bytes = Array((ListFile.marker + "\n\n").utf8)

  mutating func append(_ entry: EntrySummary) { bytes += Self.line(entry) }

  private static func line(_ entry: EntrySummary) -> [UInt8] {
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

  /// The path as a link target, readable in an editor. Only characters that would end or change the
  /// target are written as `%XX`; a path with spaces or parentheses is enclosed in `<…>`.
  private static func target(_ path: EntryPath) -> String {
    guard !path.bytes.allSatisfy(isPlain) else { return path.text }
    var target = ""
    for scalar in path.text.unicodeScalars {
      if needsEscape(scalar) {
        target += percentEncoded(String(scalar))
      } else {
        target.unicodeScalars.append(scalar)
      }
    }
    return target.contains { " ()".contains($0) } ? "<" + target + ">" : target
  }

  /// True for characters that need no escape. Most paths consist only of these.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    case .spaceSeparator: return scalar != " "
    default: return "%\\#?&[]<>`".unicodeScalars.contains(scalar)
    }
  }
}
