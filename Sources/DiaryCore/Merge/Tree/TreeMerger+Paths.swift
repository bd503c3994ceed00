extension TreeMerger {
  /// Gives each resulting file a path. The rules of ``TreeMerge`` decide between rivals.
  func treeMerge(of outputs: [MergeOutput]) throws(Failure) -> TreeMerge {
    let folders = folders(above: outputs)
    var outputsByPath: [EntryPath: MergeOutput] = [:]
    var displaced: [MergeOutput] = []
    for (path, rivals) in Dictionary(grouping: outputs, by: \.path).sorted(by: { $0.key < $1.key })
    {
      var remaining = try distinctOutputs(rivals)
      if !folders.contains(path) { outputsByPath[path] = remaining.removeFirst() }
      displaced += remaining
    }
    var merge = TreeMerge()
    for piece in displaced {
      merge.conflictPaths.insert(piece.path)
      let path = try addConflictCopy(piece, folders, &outputsByPath)
      merge.conflictPaths.insert(path)
      merge.conflictCopies[path] = piece.path
    }
    for path in Set(a.keys).union(b.keys) { merge.paths[path] = .absent }
    for (path, piece) in outputsByPath {
      merge.paths[path] = piece.text.map { .text($0, piece.file.kind) } ?? .file(piece.file)
      if piece.hasConflict { merge.conflictPaths.insert(path) }
      for origin in piece.origins {
        if origin.isA {
          merge.newPathsOfA[origin.path] = path
        } else {
          merge.newPathsOfB[origin.path] = path
        }
      }
    }
    // The path of a folder contains no file.
    merge.conflictPaths.formIntersection(outputsByPath.keys)
    return merge
  }

  private func folders(above outputs: [MergeOutput]) -> Set<EntryPath> {
    var found: Set<EntryPath> = []
    for piece in outputs {
      var folder = piece.path.folder
      while let next = folder, found.insert(next).inserted { folder = next.folder }
    }
    return found
  }

  /// The files with one path, without duplicates and with entries of one day merged into one. The
  /// first file may have the path.
  private func distinctOutputs(_ rivals: [MergeOutput]) throws(Failure) -> [MergeOutput] {
    if rivals.count == 1 { return rivals }
    var sorted: [(piece: MergeOutput, bytes: [UInt8])] = []
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
      one.piece.hasConflict = one.piece.hasConflict || merged.hasConflict
    }
    one.piece.text = one.bytes
    one.piece.file.id = try source.blobID(one.bytes)
    return [one.piece]
  }

  private func isSame(_ a: TreeFile, _ b: TreeFile) -> Bool {
    a.id == b.id && (a.kind == b.kind || (a.kind.isFile && b.kind.isFile))
  }

  private func bytes(of piece: MergeOutput) throws(Failure) -> [UInt8] {
    if let text = piece.text { return text }
    return piece.file.kind == .submodule ? piece.file.id : try source.read(piece.file.id)
  }

  /// Submodules come first, because another file refers to their path. Links come after files.
  private func isBefore(
    _ a: (piece: MergeOutput, bytes: [UInt8]), _ b: (piece: MergeOutput, bytes: [UInt8])
  ) -> Bool {
    func rank(_ kind: FileKind) -> Int { kind == .submodule ? 0 : kind.isFile ? 1 : 2 }
    let (first, second) = (rank(a.piece.file.kind), rank(b.piece.file.kind))
    return first == second ? a.bytes.lexicographicallyPrecedes(b.bytes) : first < second
  }

  /// Adds a file at a new path, where the same file may already exist.
  private func addConflictCopy(
    _ piece: MergeOutput, _ folders: Set<EntryPath>, _ outputsByPath: inout [EntryPath: MergeOutput]
  ) throws(Failure) -> EntryPath {
    let hash = hexadecimal(piece.file.id)
    var digits = 8
    while true {
      let number = max(0, digits - hash.utf8.count)
      let path = piece.path.pathWithSuffix(hash.prefix(digits) + (number > 0 ? "-\(number)" : ""))
      digits += 4
      var piece = piece
      piece.path = path
      if let other = outputsByPath[path] {
        guard isSame(other.file, piece.file) else { continue }
        outputsByPath[path]?.absorb(piece)
        return path
      }
      if folders.contains(path) { continue }
      if a[path] == nil, b[path] == nil {
        let baseEntry = try source.base(path)
        guard baseEntry == .nothing || baseEntry == .file(piece.file) else { continue }
      }
      outputsByPath[path] = piece
      return path
    }
  }
}

extension TreeMerger.MergeOutput {
  mutating func absorb(_ other: TreeMerger.MergeOutput) {
    origins.formUnion(other.origins)
    hasConflict = hasConflict || other.hasConflict
    if other.file.kind == .executable, file.kind == .regular { file.kind = .executable }
  }
}
