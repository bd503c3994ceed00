/// Follows each file of the base, and each new file, through both sides, and gives the merged files
/// their paths.
struct TreeMerger<Failure: Error> {
  let a: [EntryPath: TreeChange]
  let b: [EntryPath: TreeChange]
  let rules: MergeRules
  let source: MergeSource<Failure>

  /// A file at a path.
  struct FileVersion: Hashable {
    var path: EntryPath
    var file: TreeFile
  }

  /// The versions of one file in the base and on both sides; `nil` where it does not exist.
  struct FileTriple {
    var base: FileVersion?
    var a: FileVersion?
    var b: FileVersion?
  }

  /// A side's file that is part of a resulting file.
  struct Origin: Hashable {
    var isA: Bool
    var path: EntryPath
  }

  /// A resulting file.
  struct MergeOutput {
    var path: EntryPath
    var file: TreeFile
    /// The bytes of a text that no side has.
    var text: [UInt8]?
    var origins: Set<Origin>
    var hasConflict = false
  }

  func result() throws(Failure) -> TreeMerge {
    var outputs: [MergeOutput] = []
    for triple in try fileTriples() { outputs += try mergeOutputs(for: triple) }
    return try treeMerge(of: outputs)
  }

  private func fileTriples() throws(Failure) -> [FileTriple] {
    var ours = try trackedFiles(a)
    var theirs = try trackedFiles(b)
    try pairMoves(of: ours, in: &theirs)
    try pairMoves(of: theirs, in: &ours)
    var triples: [FileTriple] = []
    for path in Set(ours.now.keys).union(theirs.now.keys) {
      guard let file = a[path]?.before ?? b[path]?.before else { continue }
      let base = FileVersion(path: path, file: file)
      triples.append(
        FileTriple(
          base: base, a: ours.now[path] ?? .some(base), b: theirs.now[path] ?? .some(base)))
    }
    for path in Set(ours.new.keys).union(theirs.new.keys) {
      triples.append(FileTriple(base: nil, a: ours.new[path], b: theirs.new[path]))
    }
    return triples
  }

  /// The base files that a side touched, by their old paths, and the new files of the side.
  private typealias TrackedFiles = (now: [EntryPath: FileVersion?], new: [EntryPath: FileVersion])

  /// Both sides may move a file to the same path, and one may change it so much that its move alone
  /// is not recognized.
  private func pairMoves(of moved: TrackedFiles, in side: inout TrackedFiles) throws(Failure) {
    for (old, version) in moved.now {
      guard let version, version.path != old, version.path.isMarkdown,
        case .some(.none) = side.now[old], let new = side.new[version.path], new.file.kind.isFile,
        let base = a[old]?.before ?? b[old]?.before, base.kind.isFile,
        isBased(try source.read(new.file.id), on: try source.read(base.id))
      else { continue }
      side.new[version.path] = nil
      side.now[old] = new
    }
  }

  /// The files of a side. A renamed file is no new one.
  private func trackedFiles(_ side: [EntryPath: TreeChange]) throws(Failure) -> TrackedFiles {
    var now: [EntryPath: FileVersion?] = [:]
    var new: [EntryPath: FileVersion] = [:]
    for (path, change) in side {
      let version = change.after.map { FileVersion(path: path, file: $0) }
      if change.before != nil {
        now.updateValue(version, forKey: path)
      } else {
        new[path] = version
      }
    }
    for (name, old) in try renamedPaths(side) {
      now.updateValue(new.removeValue(forKey: name), forKey: old)
    }
    return (now, new)
  }

  private func renamedPaths(
    _ side: [EntryPath: TreeChange]
  ) throws(Failure) -> [EntryPath: EntryPath] {
    // All empty files are equal, which does not make them renames of each other.
    let empty = try source.blobID([])
    func sides(_ part: KeyPath<TreeChange, TreeFile?>, _ other: KeyPath<TreeChange, TreeFile?>)
      -> [RenameCandidate]
    {
      side.compactMap { path, change in
        guard change[keyPath: other] == nil, let file = change[keyPath: part], file.kind.isFile,
          file.id != empty
        else { return nil }
        return RenameCandidate(path: path, contentID: file.id, bytes: nil)
      }
    }
    return try renames(removed: sides(\.before, \.after), added: sides(\.after, \.before)) {
      side throws(Failure) in
      side.path.isMarkdown ? try source.read(side.contentID) : nil
    }
  }
}
