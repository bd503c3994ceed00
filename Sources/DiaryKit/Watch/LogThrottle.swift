import DiaryCore
import GitHistory
import Glibc

/// The messages that are already in the log.
struct LogThrottle {
  private var errors: [String: Int64] = [:]
  private var skipped: Set<SkippedFile> = []
  private var missing: [EntryPath: Int64] = [:]
  private var deferral: (reason: DeferReason, at: Int64)?
  private var syncError: String??
  private var staged: [EntryPath] = []
  private var conflictCopies: Set<EntryPath> = []

  private static let hour: Int64 = 3_600_000_000_000

  /// The messages of a full or read-only disk, from the system and from SQLite. Each attempt may
  /// fail at another file, some with random names.
  private static let diskErrors = [
    [systemMessage(ENOSPC), systemMessage(EDQUOT), "disk is full"],
    [systemMessage(EROFS), "readonly database"],
  ]

  private static func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

  /// The message without its random part: libgit2 names the temporary file that it could not
  /// create, another one at each attempt.
  private static func stableMessage(_ message: String) -> String {
    message.replacing(/tmp_object_git2_[0-9a-f]+/, with: "")
  }

  /// True if the error was not logged within the last hour. `now` is in nanoseconds.
  mutating func shouldLog(_ error: DiaryError, at now: Int64) -> Bool {
    let disk = Self.diskErrors.first { $0.contains { error.message.contains($0) } }
    let key = disk?.first ?? Self.stableMessage(error.message)
    errors = errors.filter { now - $0.value < Self.hour }
    if errors[key] != nil { return false }
    errors[key] = now
    return true
  }

  /// The skipped files that are not logged yet. Of very many, old ones are logged again.
  mutating func unlogged(_ found: [SkippedFile]) -> [SkippedFile] {
    if skipped.count > 10_000 { skipped = [] }
    let fresh = found.filter { !skipped.contains($0) }
    skipped.formUnion(found)
    return fresh
  }

  /// The paths that have been missing for at least `settle`. A moved file is absent from its old
  /// path a moment before the new one settles. `now` and `settle` are in nanoseconds.
  mutating func confirmedMissing(
    _ paths: [EntryPath], at now: Int64, after settle: Int64
  ) -> [EntryPath] {
    missing = missing.filter { now - $0.value < Self.hour }
    for path in paths where missing[path] == nil { missing[path] = now }
    return paths.filter { path in missing[path].map { now - $0 >= settle } ?? false }
  }

  /// True if the reason of a deferred commit should be logged: it is new, or a day has passed.
  /// `now` is in nanoseconds; a `nil` reason means that no commit is deferred.
  mutating func shouldLog(deferReason reason: DeferReason?, at now: Int64) -> Bool {
    guard let reason else {
      deferral = nil
      return false
    }
    if let deferral, deferral.reason == reason, now - deferral.at < 24 * Self.hour { return false }
    deferral = (reason, now)
    return true
  }

  /// True if the state of sync has changed. The text is the error of the last sync, `nil` if it
  /// worked.
  mutating func shouldLog(syncError error: String?) -> Bool {
    defer { syncError = error }
    return syncError != .some(error)
  }

  /// The conflict copies that are not logged yet.
  mutating func unlogged(_ found: [ConflictCopy]) -> [ConflictCopy] {
    found.filter { conflictCopies.insert($0.path).inserted }
  }

  /// True if the user has staged other paths than before.
  mutating func shouldLog(staged paths: [EntryPath]) -> Bool {
    defer { staged = paths }
    return !paths.isEmpty && paths != staged
  }
}
