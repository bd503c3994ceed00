import DiaryCore
import Glibc

extension JournalFolder {
  /// Whether `path` is a temporary file of Diary's own that has been what and where it is for
  /// `seconds`: its writer was killed. A file that has just been exchanged is young by its change
  /// time, whatever the time of its last write.
  package func isAbandoned(_ path: EntryPath, for seconds: Int) -> Bool {
    guard TempFile.isName(Array(path.nameBytes)), let file = try? openToRead(path, for: .read),
      let status = try? status(of: file, displayPath: path.text), status.isRegular
    else { return false }
    let newest = max(Int64(status.st_mtim.tv_sec), Int64(status.st_ctim.tv_sec))
    return wallClock() / 1_000_000_000 - newest >= Int64(seconds)
  }
}
