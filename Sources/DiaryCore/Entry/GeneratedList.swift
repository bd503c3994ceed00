/// The list file (`INDEX.md`) that Diary generates.
package enum GeneratedList {
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
}
