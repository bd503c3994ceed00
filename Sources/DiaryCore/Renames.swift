/// A file that is on one side of a change only.
public struct RenameSide: Hashable, Sendable {
  /// Where it is, or was.
  public var path: EntryPath
  /// Equal for equal content: the name that git gives to its bytes.
  public var identity: [UInt8]
  /// Its bytes, where they are at hand; without them only the same content counts.
  public var bytes: [UInt8]?

  /// A side from its parts.
  public init(path: EntryPath, identity: [UInt8], bytes: [UInt8]?) {
    self.path = path
    self.identity = identity
    self.bytes = bytes
  }
}

/// Which of the files that came in one change are others that went in it: the old path of each new
/// one. The same content is one and the same file (of several, the one whose name is kept); else the
/// files that share the most lines, at least half of them. No old path is given twice.
///
/// Among more than 10,000 possible pairs only the same content counts.
public func renames(gone: [RenameSide], new: [RenameSide]) -> [EntryPath: EntryPath] {
  var found: [EntryPath: EntryPath] = [:]
  var left = Dictionary(grouping: gone.sorted { $0.path < $1.path }, by: \.identity)
  var open: [RenameSide] = []
  for side in new.sorted(by: { $0.path < $1.path }) {
    let same = left[side.identity] ?? []
    let index = same.firstIndex { $0.path.nameBytes == side.path.nameBytes } ?? same.indices.first
    guard let index else {
      open.append(side)
      continue
    }
    found[side.path] = same[index].path
    left[side.identity]?.remove(at: index)
  }
  let rest = left.values.flatMap(\.self)
  guard !rest.isEmpty, rest.count * open.count <= 10_000 else { return found }
  let before = rest.compactMap { side in side.bytes.map { (path: side.path, lines: lines(of: $0)) }
  }
  let after = open.compactMap { side in side.bytes.map { (path: side.path, lines: lines(of: $0)) } }
  var pairs: [(likeness: Double, new: EntryPath, old: EntryPath)] = []
  for side in after {
    for other in before {
      let likeness = likeness(other.lines, side.lines)
      if likeness >= 0.5 { pairs.append((likeness, side.path, other.path)) }
    }
  }
  var taken: Set<EntryPath> = []
  pairs.sort { ($1.likeness, $0.new, $0.old) < ($0.likeness, $1.new, $1.old) }
  for pair in pairs where found[pair.new] == nil && taken.insert(pair.old).inserted {
    found[pair.new] = pair.old
  }
  return found
}

private func lines(of bytes: [UInt8]) -> Set<ArraySlice<UInt8>> {
  Set(bytes.split(separator: UInt8(ascii: "\n")))
}

private func likeness(_ old: Set<ArraySlice<UInt8>>, _ new: Set<ArraySlice<UInt8>>) -> Double {
  Double(old.intersection(new).count) / Double(max(old.count, new.count, 1))
}
