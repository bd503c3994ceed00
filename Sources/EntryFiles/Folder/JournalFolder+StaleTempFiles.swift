import DiaryCore
import Glibc

extension JournalFolder {
  /// True if `path` is a temporary file of Diary that has not changed for `seconds`: its process
  /// was killed. The change time also counts, because an exchanged file can have an old
  /// modification time.
  package func isAbandoned(_ path: EntryPath, for seconds: Int) -> Bool {
    guard TempFile.isName(Array(path.nameBytes)), let file = try? openToRead(path, for: .read),
      let status = try? status(of: file, displayPath: path.text), status.isRegular
    else { return false }
    let newest = max(Int64(status.st_mtim.tv_sec), Int64(status.st_ctim.tv_sec))
    return wallClock() / 1_000_000_000 - newest >= Int64(seconds)
  }
}
