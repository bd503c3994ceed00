import DiaryCore
import Glibc

extension JournalFolder {
  /// True if `path` is a temporary file of Diary whose process was killed: no process has its lock,
  /// and it is at least so many seconds old, because a process takes the lock after the creation.
  /// The change time also counts, because an exchanged file can have an old modification time.
  package func isAbandoned(_ path: EntryPath, for seconds: Int) -> Bool {
    guard TempFile.isName(Array(path.nameBytes)), let file = try? openToRead(path, for: .read),
      let status = try? status(of: file, displayPath: path.text), status.isRegular,
      flock(file.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    else { return false }
    let newest = max(Int64(status.st_mtim.tv_sec), Int64(status.st_ctim.tv_sec))
    return abs(wallClock() / 1_000_000_000 - newest) >= Int64(seconds)
  }
}
