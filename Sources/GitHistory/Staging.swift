import CLibgit2
import DiaryCore
import Glibc

/// The writer's index, opened from a copy, and the bytes that it becomes after a sitting.
struct Staging {
  let index: IndexFile
  let place: GitPlace
  /// The copy's path.
  let scratch: String
  /// When the index was written; an entry that is not older says nothing about its file.
  let written: timespec?
  /// Permission bits of the index; `nil` when there is none yet.
  let mode: mode_t?

  enum Opening {
    case readable(Staging)
    case unreadable(String)
  }

  /// The index with each changed path brought up to date, as bytes.
  func rewritten(_ changes: [SittingLook.Change]) throws(GitError) -> [UInt8] {
    smudge(except: Set(changes.map(\.path)))
    for change in changes where change.new == nil { try remove(change.path) }
    for change in changes {
      if let new = change.new { try put(change, new) }
    }
    try GitError.check(git_index_write(index.pointer), "write", scratch)
    guard let bytes = try readFile(scratch) else {
      throw GitError("write", scratch, .damaged, "the copy of the index is gone")
    }
    return bytes
  }

  private func remove(_ path: EntryPath) throws(GitError) {
    let code = git_index_remove(index.pointer, path.cString, 0)
    if code == GIT_ENOTFOUND.rawValue { return }
    try GitError.check(code, "take out of git's index", path.text)
  }

  private func put(_ change: SittingLook.Change, _ new: TreeEntry) throws(GitError) {
    var entry = git_index_entry()
    entry.id = new.id.raw
    entry.mode = new.mode
    if change.staged?.isAssumedUnchanged == true {
      entry.flags = UInt16(GIT_INDEX_ENTRY_VALID.rawValue)
    }
    if change.staged?.isSkipped == true {
      entry.flags_extended = UInt16(GIT_INDEX_ENTRY_SKIP_WORKTREE.rawValue)
    }
    fillStamp(&entry, change)
    let code = change.path.cString.withUnsafeBufferPointer { name in
      entry.path = name.baseAddress
      return git_index_add(index.pointer, &entry)
    }
    try GitError.check(code, "put into git's index", change.path.text)
  }

  /// All that git compares, so that `git status` need not read the file. Where the file may have
  /// changed since it was read, zeros: git then reads it.
  private func fillStamp(_ entry: inout git_index_entry, _ change: SittingLook.Change) {
    guard let stamp = change.stamp else { return }
    var status = stat()
    var now = timespec()
    guard lstat(place.onDisk(change.path), &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0,
      Int64(status.st_size) == stamp.size, UInt64(status.st_ino) == stamp.inode,
      nanoseconds(status.st_mtim) == stamp.modified,
      // Within one tick of the kernel's clock a second write leaves the same time.
      nanoseconds(now) - stamp.modified > 20_000_000
    else { return }
    entry.ctime = indexTime(status.st_ctim)
    entry.mtime = indexTime(status.st_mtim)
    entry.dev = UInt32(truncatingIfNeeded: status.st_dev)
    entry.ino = UInt32(truncatingIfNeeded: status.st_ino)
    entry.uid = status.st_uid
    entry.gid = status.st_gid
    entry.file_size = UInt32(truncatingIfNeeded: status.st_size)
  }

  private func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  private func indexTime(_ time: timespec) -> git_index_time {
    git_index_time(
      seconds: Int32(truncatingIfNeeded: time.tv_sec),
      nanoseconds: UInt32(truncatingIfNeeded: time.tv_nsec))
  }

  /// An entry as young as the index itself may hide a later change of the same size; git notices by
  /// comparing the two times. The new index is younger, so such entries lose their size instead,
  /// which makes git look at the file ("racy git", Documentation/technical/racy-git.txt).
  private func smudge(except replaced: Set<EntryPath>) {
    guard let written else { return }
    for position in 0..<index.count {
      guard let item = git_index_get_byindex(index.pointer, position) else { continue }
      let time = item.pointee.mtime
      let isOlder =
        (Int64(time.seconds), Int64(time.nanoseconds))
        < (Int64(written.tv_sec), Int64(written.tv_nsec))
      if isOlder || item.pointee.mode == TreeEntry.submodule { continue }
      guard let path = item.pointee.path.flatMap({ EntryPath(cString: $0) }),
        !replaced.contains(path)
      else { continue }
      UnsafeMutablePointer(mutating: item).pointee.file_size = 0
    }
  }
}

extension GitRepository {
  /// Copies the index to `scratch` and opens the copy.
  func openStaging(_ scratch: String) throws(GitError) -> Staging.Opening {
    var status = stat()
    let isThere = stat(indexPath, &status) == 0
    if let bytes = try readFile(indexPath) {
      try writeNewFile(scratch, bytes, mode: 0o600)
      // libgit2 would compare entries that look as young as the copy with the files, and needs a
      // repository for that; `smudge` does it without.
      var future = [
        timespec(tv_sec: Int(Int32.max), tv_nsec: 0), timespec(tv_sec: Int(Int32.max), tv_nsec: 0),
      ]
      utimensat(AT_FDCWD, scratch, &future, 0)
    }
    switch try openIndex(scratch) {
    case .unreadable(let reason): return .unreadable(reason)
    case .readable(let index):
      return .readable(
        Staging(
          index: index, place: place, scratch: scratch, written: isThere ? status.st_mtim : nil,
          mode: isThere ? status.st_mode & 0o777 : nil))
    }
  }
}
