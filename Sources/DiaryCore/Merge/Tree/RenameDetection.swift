/// A file that only one side of a change has.
package struct RenameCandidate: Hashable, Sendable {
  /// The current path, or the former one.
  package var path: EntryPath
  /// The git id of the content, which is equal for equal content.
  package var contentID: [UInt8]
  /// The content, if it is available. Without it, only equal content matches.
  package var bytes: [UInt8]?

  package init(path: EntryPath, contentID: [UInt8], bytes: [UInt8]?) {
    self.path = path
    self.contentID = contentID
    self.bytes = bytes
  }
}

/// Returns the old path of each new file that is a renamed file. Equal content matches first; of
/// several such files, the one with the same name. Then a file of the same name in another folder
/// matches if half of its text is equal. Last, the files with the most common lines match, at least
/// half. Each old path is used once.
///
/// With more than 10,000 possible pairs, only equal content and equal names match.
package func renames(removed: [RenameCandidate], added: [RenameCandidate]) -> [EntryPath: EntryPath]
{
  renames(removed: removed, added: added) { $0.bytes }
}

/// Returns the renames as a history shows them. Also a short entry that was moved to another day is
/// one: of the files without a match, those of one text below the header match if no others have it,
/// and if the new header has each line of the old one but for date and weather. So no word is
/// missing. A merge must not take such entries for one: two devices may have written both.
package func renamesInHistory<Failure: Error>(
  removed: [RenameCandidate], added: [RenameCandidate],
  read: (RenameCandidate) throws(Failure) -> [UInt8]?
) throws(Failure) -> [EntryPath: EntryPath] {
  var found = try renames(removed: removed, added: added, read: read)
  let renamed = Set(found.values)
  let removed = removed.filter { !renamed.contains($0.path) && $0.path.isMarkdown }
  let added = added.filter { found[$0.path] == nil && $0.path.isMarkdown }
  // A command moves a few entries. The many of an import are not compared with a deletion.
  guard !removed.isEmpty, removed.count <= 100, added.count <= 100 else { return found }
  var (old, new): ([[UInt8]: [MovedEntry]], [[UInt8]: [MovedEntry]]) = ([:], [:])
  for file in removed {
    guard let entry = MovedEntry(file.path, try read(file)) else { continue }
    old[entry.body, default: []].append(entry)
  }
  for file in added where !old.isEmpty {
    guard let entry = MovedEntry(file.path, try read(file)) else { continue }
    new[entry.body, default: []].append(entry)
  }
  for (body, files) in new {
    guard files.count == 1, let were = old[body], were.count == 1 else { continue }
    if files[0].hasHeader(of: were[0]) { found[files[0].path] = were[0].path }
  }
  return found
}

/// An entry that may have been moved to another day.
private struct MovedEntry {
  let path: EntryPath
  let body: [UInt8]
  private let header: Set<ArraySlice<UInt8>>

  /// Fails if there is no text below the header.
  init?(_ path: EntryPath, _ bytes: [UInt8]?) {
    guard let bytes else { return nil }
    body = Array(EntryText(bytes).bodyBytes)
    guard body.contains(where: { !$0.isSpace }) else { return nil }
    self.path = path
    header = Set(bytes.dropLast(body.count).split(separator: UInt8(ascii: "\n")))
  }

  /// True if this header has each line of the other one but for date and weather.
  func hasHeader(of other: MovedEntry) -> Bool {
    let changing = (EntryText.dateKeys + ["weather"]).map { Array(($0 + ":").utf8) }
    return other.header.subtracting(header).allSatisfy { line in
      changing.contains { line.starts(with: $0) }
    }
  }
}

/// Returns the renames, and calls `read` for the content of the files that must be compared. Where
/// it returns `nil`, only equal content matches.
package func renames<Failure: Error>(
  removed: [RenameCandidate], added: [RenameCandidate],
  read: (RenameCandidate) throws(Failure) -> [UInt8]?
) throws(Failure) -> [EntryPath: EntryPath] {
  var (found, unmatchedRemoved, unmatchedAdded) = sameContent(removed, added)
  var texts = LineTexts()
  func similarity(_ old: RenameCandidate, _ new: RenameCandidate) throws(Failure) -> Double {
    for side in [old, new] where texts.needsContent(side) { texts.add(side, try read(side)) }
    return texts.similarity(old, new)
  }
  for (old, new) in sameName(unmatchedRemoved, unmatchedAdded) where try similarity(old, new) >= 0.5
  {
    found[new.path] = old.path
  }
  let matchedOldPaths = Set(found.values)
  unmatchedRemoved.removeAll { matchedOldPaths.contains($0.path) }
  unmatchedAdded.removeAll { found[$0.path] != nil }
  guard unmatchedRemoved.count * unmatchedAdded.count <= 10_000 else { return found }
  var pairs: [(likeness: Double, new: EntryPath, old: EntryPath)] = []
  for old in unmatchedRemoved {
    for new in unmatchedAdded {
      let score = try similarity(old, new)
      if score >= 0.5 { pairs.append((score, new.path, old.path)) }
    }
  }
  var used: Set<EntryPath> = []
  pairs.sort { ($1.likeness, $0.new, $0.old) < ($0.likeness, $1.new, $1.old) }
  for pair in pairs where found[pair.new] == nil && used.insert(pair.old).inserted {
    found[pair.new] = pair.old
  }
  return found
}

private func sameContent(
  _ removed: [RenameCandidate], _ added: [RenameCandidate]
) -> (found: [EntryPath: EntryPath], gone: [RenameCandidate], new: [RenameCandidate]) {
  var found: [EntryPath: EntryPath] = [:]
  var remaining = Dictionary(grouping: removed.sorted { $0.path < $1.path }, by: \.contentID)
  var unmatched: [RenameCandidate] = []
  for side in added.sorted(by: { $0.path < $1.path }) {
    let same = remaining[side.contentID] ?? []
    let index = same.firstIndex { $0.path.nameBytes == side.path.nameBytes } ?? same.indices.first
    guard let index else {
      unmatched.append(side)
      continue
    }
    found[side.path] = same[index].path
    remaining[side.contentID]?.remove(at: index)
  }
  return (found, remaining.values.flatMap(\.self), unmatched)
}

/// The files whose name was removed once and added once.
private func sameName(
  _ removed: [RenameCandidate], _ added: [RenameCandidate]
) -> [(old: RenameCandidate, new: RenameCandidate)] {
  let before = Dictionary(grouping: removed, by: \.path.nameBytes)
  let after = Dictionary(grouping: added, by: \.path.nameBytes)
  return after.compactMap { name, sides in
    guard let old = before[name], old.count == 1, sides.count == 1 else { return nil }
    return (old[0], sides[0])
  }
}

/// Texts as sets of lines. Each line is weighted by its length, because `---` is in every entry.
private struct LineTexts {
  private var numbers: [ArraySlice<UInt8>: Int] = [:]
  private var weights: [Int] = []
  private var texts: [EntryPath: (lines: Set<Int>, weight: Int)?] = [:]

  func needsContent(_ side: RenameCandidate) -> Bool { texts[side.path] == nil }

  mutating func add(_ side: RenameCandidate, _ bytes: [UInt8]?) {
    guard let bytes else {
      texts.updateValue(nil, forKey: side.path)
      return
    }
    var lines: Set<Int> = []
    for full in bytes.split(separator: UInt8(ascii: "\n")) {
      // Different line ends do not make lines different.
      let line = full.last == UInt8(ascii: "\r") ? full.dropLast() : full
      let number = numbers[line] ?? weights.count
      if number == weights.count {
        numbers[line] = number
        weights.append(line.count)
      }
      lines.insert(number)
    }
    texts[side.path] = (lines, lines.reduce(0) { $0 + weights[$1] })
  }

  func similarity(_ old: RenameCandidate, _ new: RenameCandidate) -> Double {
    guard case (let lines, let weight)?? = texts[old.path],
      case (let others, let other)?? = texts[new.path]
    else { return 0 }
    let common = lines.reduce(0) { others.contains($1) ? $0 + weights[$1] : $0 }
    return Double(common) / Double(max(weight, other, 1))
  }
}
