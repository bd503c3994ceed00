extension TreeMerger {
  /// The results for one file: none, a file or a text, or both versions, still at one path.
  func mergeOutputs(for triple: FileTriple) throws(Failure) -> [MergeOutput] {
    guard let a = triple.a, let b = triple.b else {
      guard let remaining = triple.a ?? triple.b, remaining != triple.base else { return [] }
      return [output(remaining.path, remaining.file, a: triple.a?.path, b: triple.b?.path)]
    }
    let path = try mergedPath(triple.base?.path, a.path, b.path)
    if a.file == b.file || b.file == triple.base?.file {
      return [output(path, a.file, a: a.path, b: b.path)]
    }
    if a.file == triple.base?.file { return [output(path, b.file, a: a.path, b: b.path)] }
    return try mergedOutputs(path, triple.base?.file, a, b)
  }

  private func output(
    _ path: EntryPath, _ file: TreeFile, _ text: [UInt8]? = nil, a: EntryPath?, b: EntryPath?,
    hasConflict: Bool = false
  ) -> MergeOutput {
    let origins = [
      a.map { Origin(isA: true, path: $0) }, b.map { Origin(isA: false, path: $0) },
    ]
    return MergeOutput(
      path: path, file: file, text: text, origins: Set(origins.compactMap(\.self)),
      hasConflict: hasConflict)
  }

  /// Merges a file that both sides changed differently.
  private func mergedOutputs(
    _ path: EntryPath, _ base: TreeFile?, _ a: FileVersion, _ b: FileVersion
  ) throws(Failure) -> [MergeOutput] {
    if a.file.kind == b.file.kind, !a.file.kind.isFile {
      let first = a.file.id.lexicographicallyPrecedes(b.file.id) ? a.file : b.file
      return [output(path, first, a: a.path, b: b.path, hasConflict: true)]
    }
    guard a.file.kind.isFile, b.file.kind.isFile else {
      return [output(path, a.file, a: a.path, b: nil), output(path, b.file, a: nil, b: b.path)]
    }
    let kind = mergedKind(base?.kind, a.file.kind, b.file.kind)
    let old = base.flatMap { $0.kind.isFile ? $0.id : nil }
    let (ours, theirs) = (a.file.id, b.file.id)
    if ours == theirs || theirs == old {
      return [output(path, TreeFile(id: ours, kind: kind), a: a.path, b: b.path)]
    }
    if ours == old {
      return [output(path, TreeFile(id: theirs, kind: kind), a: a.path, b: b.path)]
    }
    if let (text, hasConflict) = try mergedText(path, old, ours, theirs) {
      let file = TreeFile(id: try source.blobID(text), kind: kind)
      return [output(path, file, text, a: a.path, b: b.path, hasConflict: hasConflict)]
    }
    return [
      output(path, TreeFile(id: ours, kind: kind), a: a.path, b: nil),
      output(path, TreeFile(id: theirs, kind: kind), a: nil, b: b.path),
    ]
  }

  /// Returns the kind of the side that changed it. A file that is new on both sides is executable.
  private func mergedKind(_ base: FileKind?, _ a: FileKind, _ b: FileKind) -> FileKind {
    if a == b { return a }
    return base == .executable ? .regular : .executable
  }

  /// Returns `nil` if the two cannot become one text.
  private func mergedText(
    _ path: EntryPath, _ base: [UInt8]?, _ a: [UInt8], _ b: [UInt8]
  ) throws(Failure) -> (text: [UInt8], keptBoth: Bool)? {
    if FileName.isMedia(path) { return nil }
    let old = try base.map { id throws(Failure) in try source.read(id) }
    let (ours, theirs) = (try source.read(a), try source.read(b))
    // Every command writes the list anew. Under another name, with other text in it, it is a file.
    let isList =
      path.bytes.elementsEqual("INDEX.md".utf8) ? ListFile.matches : ListFile.isUnchanged
    if isList(ours[...]), isList(theirs[...]) {
      if let old, !path.bytes.elementsEqual("INDEX.md".utf8),
        let lines = mergedLines(base: old, ours, theirs)
      {
        return (lines, false)
      }
      return (a.lexicographicallyPrecedes(b) ? ours : theirs, false)
    }
    guard rules.isEntry(path) else {
      guard let old, [old, ours, theirs].allSatisfy(isText) else { return nil }
      return mergedLines(base: old, ours, theirs).map { ($0, false) }
    }
    guard EntryMerge.canMerge(ours), EntryMerge.canMerge(theirs) else { return nil }
    if old == nil, !isOneDay(path, ours, theirs) { return nil }
    let merged = EntryMerge(base: old, ours, theirs)
    return (merged.bytes, merged.hasConflict)
  }

  /// True if two texts are entries of one day. Undated entries are not.
  func isOneDay(_ path: EntryPath, _ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard let day = rules.day(path, a) else { return false }
    return rules.day(path, b) == day
  }

  private func isText(_ bytes: [UInt8]) -> Bool {
    !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
  }

  private func mergedPath(
    _ base: EntryPath?, _ a: EntryPath, _ b: EntryPath
  ) throws(Failure) -> EntryPath {
    guard let base, a != b, a != base else { return b }
    if b == base { return a }
    func chosen(_ part: (EntryPath) -> [UInt8]) -> [UInt8] {
      let (old, ours, theirs) = (part(base), part(a), part(b))
      if ours == old { return theirs }
      return theirs == old ? ours : preferred(ours, theirs)
    }
    let folder = chosen { $0.folder.map { $0.bytes + [UInt8(ascii: "/")] } ?? [] }
    let name = chosen { Array($0.nameBytes) }
    if let path = EntryPath(bytes: folder + name) {
      if path == a || path == b { return path }
      if try isFree(path) { return path }
    }
    return preferred(a.bytes, b.bytes) == a.bytes ? a : b
  }

  private func isFree(_ path: EntryPath) throws(Failure) -> Bool {
    guard self.a[path] == nil, self.b[path] == nil else { return false }
    return try source.base(path) == .nothing
  }

  /// The longer of two names; of equally long ones, the one that sorts first.
  private func preferred(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
    if a.count != b.count { return a.count > b.count ? a : b }
    return a.lexicographicallyPrecedes(b) ? a : b
  }
}
