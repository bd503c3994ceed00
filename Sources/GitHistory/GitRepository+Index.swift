import CLibgit2
import DiaryCore
import Glibc

/// An index file opened by itself, so that nothing that libgit2 does for a repository touches the
/// writer's staging.
final class IndexFile {
  let pointer: OpaquePointer

  /// Opens the index at `path`; a missing file is an empty index.
  init(_ path: String) throws(GitError) {
    var opened: OpaquePointer?
    try GitError.check(git_index_open(&opened, path), "read", path)
    guard let opened else { throw GitError("read", path, .damaged, "libgit2 gave no index") }
    pointer = opened
  }

  deinit { git_index_free(pointer) }

  var hasConflicts: Bool { git_index_has_conflicts(pointer) != 0 }
  var count: Int { git_index_entrycount(pointer) }

  /// What is staged for a path, conflicts aside.
  func entry(at path: EntryPath) -> IndexEntry? {
    git_index_get_bypath(pointer, path.cString, 0).map { IndexEntry($0.pointee) }
  }

  func hasConflict(at path: EntryPath) -> Bool {
    (1...3).contains { git_index_get_bypath(pointer, path.cString, $0) != nil }
  }

  /// Every path with what is staged for it, conflicts aside.
  func entries() -> [(path: EntryPath, entry: IndexEntry)] {
    (0..<count).compactMap { position in
      guard let item = git_index_get_byindex(pointer, position), git_index_entry_stage(item) == 0,
        let path = item.pointee.path.flatMap({ EntryPath(cString: $0) })
      else { return nil }
      return (path, IndexEntry(item.pointee))
    }
  }

  /// Whether it knows a file below `folder`.
  func holdsAnything(below folder: EntryPath) -> Bool {
    var position = 0
    return git_index_find_prefix(&position, pointer, (folder.bytes + [UInt8(ascii: "/")]).cString)
      == 0
  }
}

/// What the index says of a path.
struct IndexEntry: Equatable {
  var entry: TreeEntry
  /// `git add -N`: nothing is staged yet, only the wish.
  var isIntent: Bool
  /// Left out of the work tree by a sparse checkout.
  var isSkipped: Bool
  /// The flag of `git update-index --assume-unchanged`.
  var isAssumedUnchanged: Bool

  init(_ raw: git_index_entry) {
    entry = TreeEntry(id: ObjectID(raw.id), mode: raw.mode)
    isIntent = raw.flags_extended & UInt16(GIT_INDEX_ENTRY_INTENT_TO_ADD.rawValue) != 0
    isSkipped = raw.flags_extended & UInt16(GIT_INDEX_ENTRY_SKIP_WORKTREE.rawValue) != 0
    isAssumedUnchanged = raw.flags & UInt16(GIT_INDEX_ENTRY_VALID.rawValue) != 0
  }
}

/// Whether libgit2 can read the index.
enum IndexReading {
  case readable(IndexFile)
  /// The setting that makes it unreadable, or libgit2's reason.
  case unreadable(String)
}

extension GitRepository {
  var indexPath: String { place.gitDirectory + "/index" }

  /// The index as it is now. One that was read before is read again only if it has another checksum:
  /// with many entries that is most of what a save of one file would cost.
  func openIndex() throws(GitError) -> IndexReading {
    if let index = lastIndex, access(indexPath, F_OK) == 0, git_index_read(index.pointer, 0) >= 0 {
      return .readable(index)
    }
    lastIndex = nil
    let reading = try openIndex(indexPath)
    if case .readable(let index) = reading { lastIndex = index }
    return reading
  }

  /// Gives back the memory that only work needs.
  public func rest() {
    lastIndex = nil
    lastWritten = NewObjects()
    git_repository_set_index(repository, nil)
  }

  func openIndex(_ path: String) throws(GitError) -> IndexReading {
    do throws(GitError) {
      return .readable(try IndexFile(path))
    } catch {
      return .unreadable(reasonOfIndex(error.detail))
    }
  }

  /// Split, sparse and hash-less indexes are healthy; libgit2 1.5 cannot read them.
  private func reasonOfIndex(_ detail: String) -> String {
    if detail.contains("'link'") { return "core.splitIndex" }
    if detail.contains("'sdir'") { return "index.sparse" }
    if detail.contains("checksum"), isConfigured("feature.manyFiles", unset: false) {
      return "feature.manyFiles"
    }
    if detail.contains("checksum"), isConfigured("index.skipHash", unset: false) {
      return "index.skipHash"
    }
    return detail
  }

  /// Lets libgit2 consult the index (attributes, line ends, status) when it can read it, and an empty
  /// one when it cannot: a save must go on. One that did not change is not read again.
  @discardableResult
  func useReadableIndex() -> Bool {
    let state = FileState(indexPath)
    if let used = usedIndex, used.state == state { return used.isReadable }
    usedIndex = nil
    if case .readable(let index)? = try? openIndex() {
      git_repository_set_index(repository, index.pointer)
      usedIndex = (state, isReadable: true)
      return true
    }
    var empty: OpaquePointer?
    if git_index_new(&empty) >= 0 { git_repository_set_index(repository, empty) }
    git_index_free(empty)
    usedIndex = (state, isReadable: false)
    return false
  }
}

/// What tells one state of a file from another without reading it.
struct FileState: Equatable {
  private let inode: UInt64
  private let size: Int64
  private let changed: [Int]

  /// `nil` when there is no such file.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    changed = [
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
  }
}
