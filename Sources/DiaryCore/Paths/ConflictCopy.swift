/// A file that a sync program wrote beside another one that two devices had changed:
/// `walk.sync-conflict-20261122-221819-DGYN457.md` beside `walk.md`. It holds a person's words, but it
/// is no entry: `diary check --fix` merges it into the one that it is a copy of.
package struct ConflictCopy: Hashable, Sendable {
  /// The copy itself.
  package let path: EntryPath
  /// The file that it is a copy of, whether or not that file is still there.
  package let original: EntryPath
  /// The sync program that names its copies so.
  package let program: String

  /// The copy at `path`; `nil` when the name is not one that a sync program gives.
  package init?(_ path: EntryPath) {
    let name = path.nameBytes
    guard let found = ConflictCopy.original(of: name),
      let original = path.folder?.appending(found.name) ?? EntryPath(bytes: found.name)
    else { return nil }
    self.path = path
    self.original = original
    program = found.program
  }

  /// Whether a sync program gives such names to its copies.
  package static func isCopyName(_ name: ArraySlice<UInt8>) -> Bool { original(of: name) != nil }

  /// The original's name; of a copy of a copy the first one.
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

  /// This is asked of every file of a journal: most names are decided by their last byte.
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
    /// Whether the parts between dashes that follow are those that the program writes.
    let matches: @Sendable ([ArraySlice<UInt8>]) -> Bool
  }

  private static let markers = [
    Marker(text: ".sync-conflict-", program: "Syncthing") { parts in
      (2...3).contains(parts.count) && isNumber(parts[0], 8) && isNumber(parts[1], 6)
        && parts.dropFirst(2).allSatisfy(isCode)
    },
    // Nextcloud and ownCloud before 2019; a user's name may stand before the date.
    Marker(text: "_conflict-", program: "Nextcloud") { parts in
      let parts = parts.last.map { isNumber($0, 6) } ?? false ? parts.dropLast() : parts[...]
      return parts.last.map { isNumber($0, 8) } ?? false
    },
    // OneDrive adds the machine's name; only the names that Windows itself gives are told from words.
    Marker(text: "-DESKTOP-", program: "OneDrive", matches: isMachine),
    Marker(text: "-LAPTOP-", program: "OneDrive", matches: isMachine),
  ]

  private static func isMachine(_ parts: [ArraySlice<UInt8>]) -> Bool {
    guard let code = parts.first, parts.count <= 2 else { return false }
    return (7...8).contains(code.count) && isCode(code) && code.contains(where: \.isDigit)
      && parts.dropFirst().allSatisfy(isCounter)
  }

  /// `walk (Ann's conflicted copy 2026-11-21)`, perhaps with a counter behind it.
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

  /// The words in a copy's name, in the languages in which they are known.
  private static let phrases: [(words: String, program: String)] = [
    ("conflicted copy", "Dropbox, Nextcloud or Obsidian"), ("sfconflict ", "Seafile"),
    ("conflict_on_", "Unison"), ("konfliktkopie", "Nextcloud"),
    ("in konflikt stehende kopie", "Dropbox"), ("en conflit", "Dropbox"),
    ("copia conflictiva", "Dropbox"), ("copia en conflicto", "Dropbox"),
    ("競合コピー", "Dropbox"), ("問題のあるコピー", "Dropbox"),
  ]

  /// What stands in the parenthesis at the end, and what stands before it and its blank.
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

  /// `2026-11-21`, or at least eight digits in a row.
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
  /// The last place where `part` stands.
  fileprivate func lastRange(of part: String.UTF8View) -> Range<Int>? {
    let length = part.count
    guard count >= length, let first = part.first else { return nil }
    return (startIndex...(endIndex - length)).last {
      self[$0] == first && self[$0...].starts(with: part)
    }.map { $0..<($0 + length) }
  }
}
