import DiaryCore
import Glibc

/// What the log has said already.
struct LogThrottle {
  private var errors: [String: Int64] = [:]
  private var skipped: Set<SkippedFile> = []
  private var missing: [EntryPath: Int64] = [:]
  private var deferral: (reason: String, at: Int64)?
  private var syncError: String??
  private var staged: [EntryPath] = []
  private var conflictCopies: Set<EntryPath> = []

  private static let hour: Int64 = 3_600_000_000_000

  /// What a disk that takes nothing says: the system's words, and SQLite's. It shows itself at another
  /// file with each try, some of them named by chance.
  private static let diskErrors = [
    [systemMessage(ENOSPC), systemMessage(EDQUOT), "disk is full"],
    [systemMessage(EROFS), "readonly database"],
  ]

  private static func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// The message without what is by chance in it: libgit2 names the temporary file that it could not
  /// make, another one with each try.
  private static func stableMessage(_ message: String) -> String {
    message.replacing(/tmp_object_git2_[0-9a-f]+/, with: "")
  }

  /// Whether the error was not told within the last hour. `now`: nanoseconds.
  mutating func shouldLog(_ error: DiaryError, at now: Int64) -> Bool {
    let disk = Self.diskErrors.first { $0.contains { error.message.contains($0) } }
    let key = disk?.first ?? Self.stableMessage(error.message)
    errors = errors.filter { now - $0.value < Self.hour }
    if errors[key] != nil { return false }
    errors[key] = now
    return true
  }

  /// Those of the left out that were not told yet.
  mutating func unlogged(_ found: [SkippedFile]) -> [SkippedFile] {
    let fresh = found.filter { !skipped.contains($0) }
    skipped.formUnion(found)
    return fresh
  }

  /// Those of the missing that were found missing so long before. What moves is gone from its old place
  /// a moment before the new one settles. `now` and `settle`: nanoseconds.
  mutating func confirmedMissing(
    _ paths: [EntryPath], at now: Int64, after settle: Int64
  ) -> [EntryPath] {
    missing = missing.filter { now - $0.value < Self.hour }
    for path in paths where missing[path] == nil { missing[path] = now }
    return paths.filter { path in missing[path].map { now - $0 >= settle } ?? false }
  }

  /// Whether it is to be said why the branch waits: the reason is new, or a day has passed (promise
  /// 10). `now`: nanoseconds; `nil`: it waits no more.
  mutating func shouldLog(deferReason reason: String?, at now: Int64) -> Bool {
    guard let reason else {
      deferral = nil
      return false
    }
    if let deferral, deferral.reason == reason, now - deferral.at < 24 * Self.hour { return false }
    deferral = (reason, now)
    return true
  }

  /// Whether the exchange with the remote stands otherwise than before: why it fails, `nil` that it
  /// works.
  mutating func shouldLog(syncError error: String?) -> Bool {
    defer { syncError = error }
    return syncError != .some(error)
  }

  /// Those of the conflict copies that were not told yet.
  mutating func unlogged(_ found: [ConflictCopy]) -> [ConflictCopy] {
    found.filter { conflictCopies.insert($0.path).inserted }
  }

  /// Whether other paths than before are staged by the writer.
  mutating func shouldLog(staged paths: [EntryPath]) -> Bool {
    defer { staged = paths }
    return !paths.isEmpty && paths != staged
  }
}
