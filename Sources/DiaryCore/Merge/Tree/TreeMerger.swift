/// Follows each file of the base, and each new one, through both sides; what comes of it is then
/// given its place.
struct TreeMerger<Failure: Error> {
  let a: [EntryPath: TreeChange]
  let b: [EntryPath: TreeChange]
  let rules: MergeRules
  let source: MergeSource<Failure>

  /// A file in a place.
  struct Spot: Hashable {
    var path: EntryPath
    var file: TreeFile
  }

  /// One file in the base and on both sides; `nil` where there is none.
  struct Line {
    var base: Spot?
    var a: Spot?
    var b: Spot?
  }

  /// Which side's file went into a piece.
  struct Origin: Hashable {
    var isA: Bool
    var path: EntryPath
  }

  /// What is to stand somewhere.
  struct Piece {
    var path: EntryPath
    var file: TreeFile
    /// The bytes of a text that no side has.
    var text: [UInt8]?
    var origins: Set<Origin>
    var keptBoth = false
  }

  func merged() throws(Failure) -> TreeMerge {
    var pieces: [Piece] = []
    for line in try lines() { pieces += try resolved(line) }
    return try placed(pieces)
  }

  private func lines() throws(Failure) -> [Line] {
    let ours = try followed(a)
    let theirs = try followed(b)
    var lines: [Line] = []
    for path in Set(ours.now.keys).union(theirs.now.keys) {
      guard let file = a[path]?.before ?? b[path]?.before else { continue }
      let base = Spot(path: path, file: file)
      lines.append(
        Line(
          base: base, a: ours.now[path] ?? .some(base), b: theirs.now[path] ?? .some(base)))
    }
    for path in Set(ours.new.keys).union(theirs.new.keys) {
      lines.append(Line(base: nil, a: ours.new[path], b: theirs.new[path]))
    }
    return lines
  }

  /// Where a side has each file of the base that it touched, and what it has besides.
  private func followed(
    _ side: [EntryPath: TreeChange]
  ) throws(Failure) -> (now: [EntryPath: Spot?], new: [EntryPath: Spot]) {
    var now: [EntryPath: Spot?] = [:]
    var new: [EntryPath: Spot] = [:]
    for (path, change) in side {
      let spot = change.after.map { Spot(path: path, file: $0) }
      if change.before != nil {
        now.updateValue(spot, forKey: path)
      } else {
        new[path] = spot
      }
    }
    for (name, old) in try renamed(side) {
      now.updateValue(new.removeValue(forKey: name), forKey: old)
    }
    return (now, new)
  }

  private func renamed(
    _ side: [EntryPath: TreeChange]
  ) throws(Failure) -> [EntryPath: EntryPath] {
    // All empty files are alike; that makes none of them another.
    let empty = try source.name([])
    func sides(_ part: KeyPath<TreeChange, TreeFile?>, _ other: KeyPath<TreeChange, TreeFile?>)
      -> [RenameCandidate]
    {
      side.compactMap { path, change in
        guard change[keyPath: other] == nil, let file = change[keyPath: part], file.kind.isFile,
          file.id != empty
        else { return nil }
        return RenameCandidate(path: path, identity: file.id, bytes: nil)
      }
    }
    return try renames(gone: sides(\.before, \.after), new: sides(\.after, \.before)) {
      side throws(Failure) in
      side.path.isMarkdown ? try source.read(side.identity) : nil
    }
  }
}
