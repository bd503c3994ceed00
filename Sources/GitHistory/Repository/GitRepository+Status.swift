import DiaryCore
import Glibc

extension GitRepository {
  /// Returns the paths where disk, index and HEAD may differ: new, changed, deleted and staged
  /// files, without those that a sparse checkout omits. git's ignore rules are not applied. It reads
  /// no file: an unreadable one cannot stop the comparison. If Diary cannot read the index, every
  /// file of the disk and of HEAD may differ.
  ///
  /// - Parameter files: the files of the journal on disk. Others are looked up if git tracks them.
  package func possibleChanges(_ files: [FoundFile]) throws(GitError) -> [EntryPath] {
    guard case .readable(let index) = try openIndex() else { return try pathsOfDiskAndHead(files) }
    var found = files.map { file in
      FoundFile(
        path: location.repositoryPath(file.path), signature: file.signature,
        statusChangedAt: file.statusChangedAt)
    }
    found.sort { $0.path < $1.path }
    let changed = index.differences(
      from: found, below: location.prefix, writtenAt: lastIndex?.state?.modifiedAt ?? 0
    ) { path in diskState(path) }
    let staged = try stagedPaths(index, tree(of: head().commit))
    return Set(changed.compactMap { location.journalPath($0) }).union(staged).sorted()
  }

  private func diskState(_ path: EntryPath) -> GitIndex.DiskState {
    var status = stat()
    guard lstat(location.diskPath(path), &status) == 0 else {
      return [ENOENT, ENOTDIR].contains(errno) ? .absent : .unknown
    }
    return .present(
      FoundFile(
        path: path, signature: FileSignature(status),
        statusChangedAt: status.st_ctim.nanoseconds))
  }

  private func pathsOfDiskAndHead(_ files: [FoundFile]) throws(GitError) -> [EntryPath] {
    var paths = Set(files.map(\.path))
    // Only the index lists the files that a sparse checkout omits.
    guard !isConfigured("core.sparseCheckout", unset: false) else { return paths.sorted() }
    for path in try headEntries().keys where !paths.contains(path) {
      if case .unknown = diskState(location.repositoryPath(path)) { continue }
      paths.insert(path)
    }
    return paths.sorted()
  }
}
