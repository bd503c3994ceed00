import CLibgit2
import Glibc

/// The result of reading the index: a ``GitIndex`` or a ``LockedIndex``.
enum IndexOpenResult<Index> {
  case readable(Index)
  /// The setting that makes the index unreadable, or the damage.
  case unreadable(String)
}

extension GitRepository {
  var indexPath: String { location.gitDirectory + "/index" }

  /// Returns the current index. An unchanged index is not read again.
  func openIndex() throws(GitError) -> IndexOpenResult<GitIndex> {
    let state = FileState(indexPath)
    if let last = lastIndex, last.state == state { return .readable(last.index) }
    lastIndex = nil
    let bytes = try readFile(indexPath)
    do throws(GitIndex.Unreadable) {
      let index = try GitIndex(bytes)
      lastIndex = (state, index)
      return .readable(index)
    } catch {
      return .unreadable(error.reason)
    }
  }

  /// True if an index with this state is the one that Diary wrote.
  func isWrittenByDiary(_ state: FileState?) -> Bool { state != nil && state == writtenIndex }

  /// Caches the state of the index that has just been put in place, if it is the lock's file.
  func recordWrittenIndex(_ inode: UInt64) {
    let state = FileState(indexPath)
    if state?.inode == inode { writtenIndex = state }
  }

  /// Releases the memory of caches. The last written objects stay: a gc may still delete them.
  package func releaseCaches() {
    lastIndex = nil
    loadedIndex = nil
    git_repository_set_index(repository, nil)
  }

  /// Lets libgit2 use the index (attributes, line ends, status) if it can read it, and an empty one
  /// otherwise, so that a save can continue. An unchanged index is not read again.
  @discardableResult
  func loadIndexIntoLibgit2() -> Bool {
    let state = FileState(indexPath)
    if let used = loadedIndex, used.state == state { return used.isReadable }
    var index: OpaquePointer?
    let isReadable = git_index_open(&index, indexPath) >= 0
    if !isReadable { git_index_new(&index) }
    if let index { git_repository_set_index(repository, index) }
    git_index_free(index)
    loadedIndex = (state, isReadable)
    return isReadable
  }
}

/// The status of a file that changes with its content.
struct FileState: Equatable {
  let inode: UInt64
  private let size: Int64
  private let timestamps: [Int]
  /// Nanoseconds since 1970.
  var modifiedAt: Int64 { Int64(timestamps[0]) * 1_000_000_000 + Int64(timestamps[1]) }

  /// `nil` if the file does not exist.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    timestamps = [
      status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
  }
}
