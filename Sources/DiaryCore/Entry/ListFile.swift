/// The list file (`INDEX.md`) that Diary generates.
package enum ListFile {
  /// The first line of every list file.
  package static let marker = "<!-- made by diary; edits are lost -->"

  /// True if a text starts with the marker line; a BOM before it and CRLF after it are accepted.
  package static func matches(_ bytes: ArraySlice<UInt8>) -> Bool {
    let bom: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: bom) ? bytes.dropFirst(3) : bytes
    guard text.starts(with: marker.utf8) else { return false }
    let next = text.dropFirst(marker.utf8.count).first
    return next == nil || next == UInt8(ascii: "\n") || next == UInt8(ascii: "\r")
  }

  /// True if a text has only what Diary writes into a list: the marker and a line for each entry.
  static func isUnchanged(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard matches(bytes) else { return false }
    return bytes.split(separator: UInt8(ascii: "\n")).dropFirst().allSatisfy { line in
      let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
      guard !line.isEmpty else { return true }
      let day = line.dropFirst(2)
      return line.starts(with: "- ".utf8) && line.last == UInt8(ascii: ")")
        && (day.first?.isDigit == true || day.starts(with: "undated".utf8))
        && line.firstRange(of: "](".utf8) != nil
    }
  }
}

extension Settings {
  /// True for the list of this journal, and for the one of another journal inside it, which Diary
  /// rewrites all the time. A list with other text, or under another name, is an ordinary file.
  package func isListFile(_ bytes: ArraySlice<UInt8>, at path: EntryPath) -> Bool {
    let name = "INDEX.md".utf8
    if path == indexFile || path.bytes.elementsEqual(name) { return ListFile.matches(bytes) }
    return path.nameBytes.elementsEqual(name) && ListFile.isUnchanged(bytes)
  }
}
