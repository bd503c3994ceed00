import DiaryCore
import Glibc

/// The writer's index as it was under its lock, and the bytes that it becomes after a sitting.
struct LockedIndex {
  let index: GitIndex
  let location: RepositoryLocation
  /// When the index was written; an entry that is not older says nothing about its file.
  let written: timespec?
  /// Permission bits of the index; `nil` when there is none yet.
  let mode: mode_t?

  enum OpenResult {
    case readable(LockedIndex)
    case unreadable(String)
  }

  /// The index with each changed path brought up to date, as bytes.
  func rewritten(_ changes: [CommitPlan.Change]) -> [UInt8] {
    var edits: [EntryPath: GitIndex.Replacement?] = [:]
    for change in changes {
      let new = change.new.map { entry in
        GitIndex.Replacement(
          entry: entry, isAssumedUnchanged: change.staged?.isAssumedUnchanged == true,
          isSkipWorktree: change.staged?.isSkipWorktree == true, status: status(change))
      }
      edits.updateValue(new, forKey: change.path)
    }
    return index.rewritten(edits, written: written)
  }

  /// All that git compares, so that `git status` need not read the file; `nil` where the file may
  /// have changed since it was read.
  private func status(_ change: CommitPlan.Change) -> stat? {
    guard let stamp = change.stamp else { return nil }
    var status = stat()
    var now = timespec()
    guard lstat(location.onDisk(change.path), &status) == 0,
      clock_gettime(CLOCK_REALTIME, &now) == 0,
      Int64(status.st_size) == stamp.size, UInt64(status.st_ino) == stamp.inode,
      nanoseconds(status.st_mtim) == stamp.modified,
      // Within one tick of the kernel's clock a second write leaves the same time.
      nanoseconds(now) - stamp.modified > 20_000_000
    else { return nil }
    return status
  }

  private func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension GitRepository {
  /// Reads the index anew; the caller holds its lock.
  func openLockedIndex() throws(GitError) -> LockedIndex.OpenResult {
    var status = stat()
    let isThere = stat(indexPath, &status) == 0
    let skipsChecksum = isOwnIndex(FileState(indexPath))
    let bytes = try readFile(indexPath)
    do throws(GitIndex.Unreadable) {
      return .readable(
        LockedIndex(
          index: try GitIndex(bytes, skipsChecksum: skipsChecksum), location: location,
          written: isThere ? status.st_mtim : nil, mode: isThere ? status.st_mode & 0o777 : nil))
    } catch {
      return .unreadable(error.reason)
    }
  }
}
