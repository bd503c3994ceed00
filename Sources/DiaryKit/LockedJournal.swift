import Foundation
import Synchronization

/// A journal whose lock this process holds, so that no other Diary process changes it.
///
/// Everything that changes the journal's files, its saves or its state under the lock is a method
/// of this type. Only ``Journal/locked(_:)`` makes one, and it cannot be copied: without the lock,
/// such a method cannot be called.
package struct LockedJournal: ~Copyable, LockHolder {
  package let journal: Journal
  /// Releases the lock when it is deallocated, after `deinit`.
  private let lock: FileLock

  fileprivate init(_ journal: Journal, _ lock: FileLock, _ task: Int?) {
    self.journal = journal
    self.lock = lock
    journal.lockingTask.withLock { $0 = task }
  }

  deinit { journal.lockingTask.withLock { $0 = nil } }
}

/// A value that exists only while this process holds the journal's lock: the ``LockedJournal`` and
/// the owners that it hands out. None of them can be copied.
package protocol LockHolder: ~Copyable, Sendable {
  var journal: Journal { get }
}

/// The saves: what is on the disk goes into versions and commits, and no file changes before its
/// text is saved.
struct Saver: ~Copyable, LockHolder {
  package let journal: Journal

  fileprivate init(_ journal: Journal) { self.journal = journal }
}

/// The integration of other devices' changes: merges, moves of the branch, and the checkout of
/// what they bring.
struct Integration: ~Copyable, LockHolder {
  package let journal: Journal

  fileprivate init(_ journal: Journal) { self.journal = journal }
}

extension LockHolder where Self: ~Copyable {
  var saver: Saver { Saver(journal) }
  var integration: Integration { Integration(journal) }

  /// Reads, changes and writes the value of a state file.
  func update<Value>(
    _ file: StateFile<Value>, _ body: (inout Value) -> Void
  ) throws(DiaryError) {
    var value = try file.load()
    body(&value)
    try file.write(value)
  }
}

extension Journal {
  /// Waits for the journal's lock and runs `body` while no other Diary process changes the journal.
  /// The lock is released when `body` returns or throws. `body` must not call this function: it
  /// would wait for itself.
  func locked<Value: Sendable>(
    _ body: @Sendable (borrowing LockedJournal) async throws -> Value
  ) async throws -> Value {
    let task = withUnsafeCurrentTask { $0?.hashValue }
    precondition(lockingTask.withLock { $0 != task }, "this task has locked the journal already")
    try gitLocation.requireSupportedState(of: root)
    try makeStateFolder()
    await mergeDriver.refreshMergeDriver()
    let journal = LockedJournal(self, try await waitForLock("lock"), task)
    // Another Diary process may have raised the version meanwhile.
    try gitLocation.requireSupportedState(of: root)
    do { return try await body(journal) } catch {
      // The save that would have flushed an earlier one did not take place.
      try? await endFlush()
      throw error
    }
  }
}
