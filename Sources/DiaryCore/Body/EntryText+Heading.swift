extension EntryText {
  /// Replaces the text of the heading at the start of the body (`# …`). Returns false, and changes
  /// nothing, if the body does not start with such a heading.
  package mutating func setHeading(_ title: String) -> Bool {
    guard encoding == .utf8, !isDamaged, !title.contains(where: \.isNewline) else { return false }
    var start = bodyRange.lowerBound
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      let line = bytes[start..<end]
      guard line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else {
        guard line.starts(with: "# ".utf8) else { return false }
        let last = line.last == 0x0D ? end - 1 : end
        self = EntryText(bytes[..<(start + 2)] + Array(title.utf8) + bytes[last...])
        return true
      }
      start = end + 1
    }
    return false
  }
}
