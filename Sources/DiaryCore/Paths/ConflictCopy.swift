/// A file that a sync program wrote next to another file changed on two devices:
/// `walk.sync-conflict-20261122-221819-DGYN457.md` next to `walk.md`. It contains the user's text
/// but is not an entry. `diary check --fix` merges it into the original.
package struct ConflictCopy: Hashable, Sendable {
  package let path: EntryPath
  /// The file that it is a copy of, whose name may have changed since. It may no longer exist.
  package var original: EntryPath
  /// The sync program that uses this name pattern.
  package let program: String

  /// Creates the copy at `path`. Fails if no sync program uses such a name.
  package init?(_ path: EntryPath) {
    let name = path.nameBytes
    guard let found = ConflictCopy.original(of: name),
      let original = path.sibling(found.name)
    else { return nil }
    self.path = path
    self.original = original
    program = found.program
  }

  /// True if a sync program gives such names to its copies.
  package static func isCopyName(_ name: ArraySlice<UInt8>) -> Bool { original(of: name) != nil }

  /// The original's name. For a copy of a copy, the name of the first original.
  private static func original(of name: ArraySlice<UInt8>) -> (name: [UInt8], program: String)? {
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    var stem = name[..<dot]
    var program: String?
    while let found = withoutMarker(stem) {
      stem = found.stem
      program = found.program
    }
    return program.map { (Array(stem + name[dot...]), $0) }
  }

  /// Removes one marker. It runs for every file of a journal; the last byte rules out most names.
  private static func withoutMarker(
    _ stem: ArraySlice<UInt8>
  ) -> (stem: ArraySlice<UInt8>, program: String)? {
    guard stem.count > 16, let last = stem.last else { return nil }
    if last == UInt8(ascii: ")") { return withoutParenthesis(stem) }
    guard last.isDigit || isCapital(last) else { return nil }
    for marker in markers {
      guard let range = stem.lastRange(of: marker.text.utf8), range.lowerBound > stem.startIndex,
        marker.matches(stem[range.upperBound...].split(separator: UInt8(ascii: "-")))
      else { continue }
      return (stem[..<range.lowerBound], marker.program)
    }
    return nil
  }

  private struct Marker: Sendable {
    let text: String
    let program: String
    /// True if the dash-separated parts after the marker have the form that the program writes.
    let matches: @Sendable ([ArraySlice<UInt8>]) -> Bool
  }

  private static let markers = [
    Marker(text: ".sync-conflict-", program: "Syncthing") { parts in
      (2...3).contains(parts.count) && isNumber(parts[0], 8) && isNumber(parts[1], 6)
        && parts.dropFirst(2).allSatisfy(isCode)
    },
    // Nextcloud and ownCloud before 2019. A user name may precede the date.
    Marker(text: "_conflict-", program: "Nextcloud") { parts in
      let parts = parts.last.map { isNumber($0, 6) } ?? false ? parts.dropLast() : parts[...]
      return parts.last.map { isNumber($0, 8) } ?? false
    },
    // OneDrive adds the machine's name. Only Windows' default names are distinguishable from words.
    Marker(text: "-DESKTOP-", program: "OneDrive", matches: isMachine),
    Marker(text: "-LAPTOP-", program: "OneDrive", matches: isMachine),
  ]

  private static func isMachine(_ parts: [ArraySlice<UInt8>]) -> Bool {
    guard let code = parts.first, parts.count <= 2 else { return false }
    return (7...8).contains(code.count) && isCode(code) && code.contains(where: \.isDigit)
      && parts.dropFirst().allSatisfy(isCounter)
  }

  /// Removes `(Ann's conflicted copy 2026-11-21)` and an optional counter after it.
  private static func withoutParenthesis(
    _ stem: ArraySlice<UInt8>
  ) -> (stem: ArraySlice<UInt8>, program: String)? {
    guard var group = lastParenthesis(stem) else { return nil }
    if isCounter(group.inside) {
      guard let before = lastParenthesis(group.before) else { return nil }
      group = before
    }
    guard hasDate(group.inside) else { return nil }
    let text = String(decoding: group.inside, as: UTF8.self).lowercased()
    return phrases.first { text.contains($0.words) }.map { (group.before, $0.program) }
  }

  /// The phrases in the names of copies, in the known languages.
  private static let phrases: [(words: String, program: String)] = [
    ("conflicted copy", "Dropbox, Nextcloud or Obsidian"), ("sfconflict ", "Seafile"),
    ("conflict_on_", "Unison"), ("konfliktkopie", "Nextcloud"),
    ("in konflikt stehende kopie", "Dropbox"), ("en conflit", "Dropbox"),
    ("copia conflictiva", "Dropbox"), ("copia en conflicto", "Dropbox"),
    ("競合コピー", "Dropbox"), ("問題のあるコピー", "Dropbox"),
  ]

  /// The content of the parenthesis at the end, and the text before it without the blank.
  private static func lastParenthesis(
    _ stem: ArraySlice<UInt8>
  ) -> (before: ArraySlice<UInt8>, inside: ArraySlice<UInt8>)? {
    guard stem.last == UInt8(ascii: ")") else { return nil }
    var depth = 0
    for index in stem.indices.reversed() {
      if stem[index] == UInt8(ascii: ")") { depth += 1 }
      if stem[index] == UInt8(ascii: "(") { depth -= 1 }
      guard depth == 0 else { continue }
      let before = stem[..<index]
      guard before.last == UInt8(ascii: " "), before.count > 1 else { return nil }
      return (before.dropLast(), stem[(index + 1)...].dropLast())
    }
    return nil
  }

  /// True for `2026-11-21` or at least eight digits in a row.
  private static func hasDate(_ text: ArraySlice<UInt8>) -> Bool {
    let runs = text.split { !$0.isDigit }.map { (start: $0.startIndex, count: $0.count) }
    if runs.contains(where: { $0.count >= 8 }) { return true }
    return zip(runs, runs.dropFirst()).contains { year, month in
      year.count == 4 && month.count == 2 && month.start == year.start + 5
    }
  }

  private static func isNumber(_ part: ArraySlice<UInt8>, _ count: Int) -> Bool {
    part.count == count && part.allSatisfy(\.isDigit)
  }

  private static func isCounter(_ part: ArraySlice<UInt8>) -> Bool {
    (1...2).contains(part.count) && part.allSatisfy(\.isDigit)
  }

  private static func isCode(_ part: ArraySlice<UInt8>) -> Bool {
    part.count >= 7 && part.allSatisfy { $0.isDigit || isCapital($0) }
  }

  private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
}

extension ArraySlice<UInt8> {
  /// The last occurrence of `part`.
  fileprivate func lastRange(of part: String.UTF8View) -> Range<Int>? {
    let length = part.count
    guard count >= length, let first = part.first else { return nil }
    return (startIndex...(endIndex - length)).last {
      self[$0] == first && self[$0...].starts(with: part)
    }.map { $0..<($0 + length) }
  }
}
