import Foundation
import GitHistory
import Localization

/// The lock of a journal's watcher, so that two never run on one journal. Its text says for other
/// processes which one watches, and why its saves may be slow or fail.
struct WatcherLock {
  private var lock: ProcessLock
  private var status = WatcherStatus(WatcherLock.process)
  /// The polling interval and its reason, if the kernel does not report changes.
  var polling: String? { didSet { write() } }

  private static let process = "process \(ProcessInfo.processInfo.processIdentifier)"

  /// Throws if another watcher is running.
  init(of journal: Journal) throws { lock = try Self.lock(of: journal) }

  private static func lock(of journal: Journal) throws -> ProcessLock {
    try journal.gitLocation.requireSupportedState(of: journal.root)
    try journal.gitLocation.makeDiaryDirectory()
    let other = EncryptedFolder(journal.root).lockableFile
    if let lock = try ProcessLock(journal.watchLockPath, text: process, on: other) { return lock }
    let holder = journal.watcherStatus?.process ?? localized("another process")
    throw DiaryError(
      localized("\(journal.root) is already watched by \(holder)"),
      hint: localized("one watcher is enough; `diary status` shows its state"))
  }

  /// True if this is the lock of the folder and repository that are now at the journal's path.
  func isHeld(of journal: Journal) -> Bool {
    lock.isFile(at: EncryptedFolder(journal.root).lockableFile ?? journal.watchLockPath)
  }

  /// Acquires the lock in the reopened journal. Throws if another watcher is running.
  mutating func move(to journal: Journal) throws {
    lock = try Self.lock(of: journal)
    write()
  }

  /// Writes the current error, until a round is done without an error (`nil`).
  mutating func record(_ message: String?, at now: Int) {
    guard message != status.error?.message else { return }
    status.error = message.map { WatcherError(since: status.error?.since ?? now, message: $0) }
    write()
  }

  private mutating func write() {
    status.process = [Self.process, polling].compactMap(\.self).joined(separator: ", ")
    lock.write(status.text)
  }
}
