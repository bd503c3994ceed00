extension EntryPath {
  /// The path for a file that cannot be merged into the one at this path: `name-<8 hex>.md`, from
  /// the hexadecimal id of its content. A merge of two folders uses the same rule.
  package func conflictCopyPath(contentID id: String) -> EntryPath { pathWithSuffix(id.prefix(8)) }

  /// This path with `-SUFFIX` before its extension. A name that is too long for a file system is
  /// shortened before the suffix.
  func pathWithSuffix(_ suffix: some StringProtocol) -> EntryPath {
    let whole = nameBytes[..<extensionStart]
    let ending = Array("-\(suffix)".utf8) + bytes[extensionStart...]
    var stem = whole.prefix(max(1, 255 - ending.count))
    if stem.count < whole.count {
      // Do not cut inside a character.
      while stem.count > 1, bytes[stem.endIndex] & 0xC0 == 0x80 { stem.removeLast() }
    }
    return EntryPath(bytes: bytes[..<whole.startIndex] + stem + ending) ?? self
  }
}
