extension TreeMerger {
  /// Gives every piece its place; where several want one, the rule of ``TreeMerge`` decides.
  func placed(_ pieces: [Piece]) throws(Failure) -> TreeMerge {
    let folders = folders(above: pieces)
    var standing: [EntryPath: Piece] = [:]
    var displaced: [Piece] = []
    for (path, rivals) in Dictionary(grouping: pieces, by: \.path).sorted(by: { $0.key < $1.key }) {
      var left = try joined(rivals)
      if !folders.contains(path) { standing[path] = left.removeFirst() }
      displaced += left
    }
    var merge = TreeMerge()
    for piece in displaced {
      merge.keptBoth.insert(piece.path)
      let path = try newPath(piece, folders, &standing)
      merge.keptBoth.insert(path)
      merge.twins[path] = piece.path
    }
    for path in Set(a.keys).union(b.keys) { merge.paths[path] = .absent }
    for (path, piece) in standing {
      merge.paths[path] = piece.text.map { .text($0, piece.file.kind) } ?? .file(piece.file)
      if piece.keptBoth { merge.keptBoth.insert(path) }
      for origin in piece.origins {
        if origin.isA { merge.fromA[origin.path] = path } else { merge.fromB[origin.path] = path }
      }
    }
    // A place that a folder took holds no file.
    merge.keptBoth.formIntersection(standing.keys)
    return merge
  }

  private func folders(above pieces: [Piece]) -> Set<EntryPath> {
    var found: Set<EntryPath> = []
    for piece in pieces {
      var folder = piece.path.folder
      while let next = folder, found.insert(next).inserted { folder = next.folder }
    }
    return found
  }

  /// What wants one place, without what is the same twice and with entries of one day as one; the
  /// first may have it.
  private func joined(_ rivals: [Piece]) throws(Failure) -> [Piece] {
    if rivals.count == 1 { return rivals }
    var sorted: [(piece: Piece, bytes: [UInt8])] = []
    for piece in rivals {
      if let same = sorted.firstIndex(where: { isSame($0.piece.file, piece.file) }) {
        sorted[same].piece.absorb(piece)
      } else {
        sorted.append((piece, try bytes(of: piece)))
      }
    }
    sorted.sort { isBefore($0, $1) }
    let texts = sorted.map(\.bytes)
    guard var one = sorted.first, sorted.count > 1, rules.isEntry(one.piece.path),
      sorted.allSatisfy({ $0.piece.file.kind.isFile }), texts.allSatisfy(EntryMerge.canMerge),
      texts.allSatisfy({ isOneDay(one.piece.path, one.bytes, $0) })
    else { return sorted.map(\.piece) }
    for other in sorted.dropFirst() {
      let merged = EntryMerge(base: nil, one.bytes, other.bytes)
      one.bytes = merged.bytes
      one.piece.absorb(other.piece)
      one.piece.keptBoth = one.piece.keptBoth || merged.keptBoth
    }
    one.piece.text = one.bytes
    one.piece.file.id = try source.name(one.bytes)
    return [one.piece]
  }

  private func isSame(_ a: TreeFile, _ b: TreeFile) -> Bool {
    a.id == b.id && (a.kind == b.kind || (a.kind.isFile && b.kind.isFile))
  }

  private func bytes(of piece: Piece) throws(Failure) -> [UInt8] {
    if let text = piece.text { return text }
    return piece.file.kind == .submodule ? piece.file.id : try source.read(piece.file.id)
  }

  /// A submodule keeps its name, for another file tells it; a link gives way to a file.
  private func isBefore(
    _ a: (piece: Piece, bytes: [UInt8]), _ b: (piece: Piece, bytes: [UInt8])
  ) -> Bool {
    func rank(_ kind: FileKind) -> Int { kind == .submodule ? 0 : kind.isFile ? 1 : 2 }
    let (first, second) = (rank(a.piece.file.kind), rank(b.piece.file.kind))
    return first == second ? a.bytes.lexicographicallyPrecedes(b.bytes) : first < second
  }

  /// Puts a piece under a name of its own; the same file may be there already.
  private func newPath(
    _ piece: Piece, _ folders: Set<EntryPath>, _ standing: inout [EntryPath: Piece]
  ) throws(Failure) -> EntryPath {
    let mark = hexadecimal(piece.file.id)
    var digits = 8
    while true {
      let number = max(0, digits - mark.utf8.count)
      let path = piece.path.marked(mark.prefix(digits) + (number > 0 ? "-\(number)" : ""))
      digits += 4
      var piece = piece
      piece.path = path
      if let other = standing[path] {
        guard isSame(other.file, piece.file) else { continue }
        standing[path]?.absorb(piece)
        return path
      }
      if folders.contains(path) { continue }
      if a[path] == nil, b[path] == nil {
        let there = try source.base(path)
        guard there == .nothing || there == .file(piece.file) else { continue }
      }
      standing[path] = piece
      return path
    }
  }
}

extension TreeMerger.Piece {
  mutating func absorb(_ other: TreeMerger.Piece) {
    origins.formUnion(other.origins)
    keptBoth = keptBoth || other.keptBoth
    if other.file.kind == .executable, file.kind == .regular { file.kind = .executable }
  }
}

extension EntryPath {
  /// The same path with `-MARK` before its extension; a name that would be too long for a disk is
  /// cut before it.
  func marked(_ mark: some StringProtocol) -> EntryPath {
    let name = nameBytes
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    let end = dot > name.startIndex ? dot : name.endIndex
    let ending = Array("-\(mark)".utf8) + name[end...]
    var stem = name[..<end].prefix(max(1, 255 - ending.count))
    if stem.endIndex < end {
      // Not in the middle of a character.
      while stem.count > 1, bytes[stem.endIndex] & 0xC0 == 0x80 { stem.removeLast() }
    }
    return EntryPath(bytes: bytes[..<name.startIndex] + stem + ending) ?? self
  }
}
