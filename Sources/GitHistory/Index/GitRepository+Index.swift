import CLibgit2
import DiaryCore
import Glibc

/// Whether Diary can read the index.
enum IndexOpenResult {
  case readable(GitIndex)
  /// The setting that makes it unreadable, or what is wrong with it.
  case unreadable(String)
}

extension GitRepository {
  var indexPath: String { location.gitDirectory + "/index" }

  /// The index as it is now; one that did not change is not read again.
  func openIndex() throws(GitError) -> IndexOpenResult {
    let state = FileState(indexPath)
    if let last = lastIndex, last.state == state { return .readable(last.index) }
    lastIndex = nil
    let bytes = try readFile(indexPath)
    do throws(GitIndex.Unreadable) {
      let index = try GitIndex(bytes, skipsChecksum: isOwnIndex(state))
      lastIndex = (state, index)
      return .readable(index)
    } catch {
      return .unreadable(error.reason)
    }
  }

  /// Whether an index that looks like this is the one that Diary wrote.
  func isOwnIndex(_ state: FileState?) -> Bool { state != nil && state == writtenIndex }

  /// Remembers what it need not find out again of the index that has just been put in place, if it is
  /// the file that the lock was.
  func noteWrittenIndex(_ bytes: [UInt8], _ inode: UInt64) {
    let state = FileState(indexPath)
    guard state?.inode == inode else { return }
    writtenIndex = state
    attributesInIndex = (state, mayNameAttributes(bytes))
  }

  /// Gives back the memory that only work needs. The objects that were written last stay: a gc may
  /// sweep them yet.
  package func rest() {
    lastIndex = nil
    usedIndex = nil
    git_repository_set_index(repository, nil)
  }

  /// Whether a file of attributes may be staged anywhere: found without taking the index apart.
  func indexMayNameAttributes() -> Bool {
    let state = FileState(indexPath)
    if let known = attributesInIndex, known.state == state { return known.answer }
    let answer = mayNameAttributes((try? readFile(indexPath)) ?? [])
    attributesInIndex = (state, answer)
    return answer
  }

  /// Version 4 leaves out the beginning of a path.
  private func mayNameAttributes(_ bytes: [UInt8]) -> Bool {
    bytes.count > 7 && bytes[7] == 4 || holds(".gitattributes", in: bytes)
  }

  private func holds(_ name: StaticString, in bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset + name.utf8CodeUnitCount <= bytes.count, let start = bytes.baseAddress,
        let found = memchr(start + offset, Int32(name.utf8Start.pointee), bytes.count - offset)
      {
        offset = found - UnsafeMutableRawPointer(mutating: start) + 1
        let isWhole = offset - 1 + name.utf8CodeUnitCount <= bytes.count
        if isWhole, memcmp(found, name.utf8Start, name.utf8CodeUnitCount) == 0 { return true }
      }
      return false
    }
  }

  /// Lets libgit2 consult the index (attributes, line ends, status) when it can read it, and an empty
  /// one when it cannot: a save must go on. One that did not change is not read again.
  @discardableResult
  func loadIndexIntoLibgit2() -> Bool {
    let state = FileState(indexPath)
    if let used = usedIndex, used.state == state { return used.isReadable }
    var index: OpaquePointer?
    let isReadable = git_index_open(&index, indexPath) >= 0
    if !isReadable { git_index_new(&index) }
    if let index { git_repository_set_index(repository, index) }
    git_index_free(index)
    usedIndex = (state, isReadable)
    return isReadable
  }
}

/// What tells one state of a file from another without reading it.
struct FileState: Equatable {
  let inode: UInt64
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
