import Foundation
import Synchronization

/// A journal whose lock this process holds, so that no other Diary process changes it.
///
/// Everything that changes the journal's files, its saves or its state under the lock is a method
/// of this type. Only ``Journal/locked(_:)`` makes one, and it cannot be copied: without the lock,
/// such a method cannot be called.
package struct LockedJournal: ~Copyable, Sendable {
  let journal: Journal
  /// Releases the lock when it is deallocated, after `deinit`.
  private let lock: ProcessLock

  fileprivate init(_ journal: Journal, _ lock: ProcessLock, _ task: Int?) {
    self.journal = journal
    self.lock = lock
    journal.lockingTask.withLock { $0 = task }
  }

  deinit { journal.lockingTask.withLock { $0 = nil } }
}

/// The saves: what is on the disk goes into versions and commits, and no file changes before its
/// text is saved. It exists only under the lock, and cannot be copied.
struct Saver: ~Copyable, Sendable {
  let journal: Journal

  fileprivate init(_ journal: Journal) { self.journal = journal }

  /// Without a `deinit`, the optimizer of Swift 6.3 crashes where it inlines a method of a type that
  /// cannot be copied.
  deinit {}
}

/// The integration of other devices' changes: merges, moves of the branch, and the checkout of
/// what they bring. It exists only under the lock, and cannot be copied.
struct Integration: ~Copyable, Sendable {
  let journal: Journal

  fileprivate init(_ journal: Journal) { self.journal = journal }

  /// As in ``Saver``.
  deinit {}
}

extension LockedJournal {
  var saver: Saver { Saver(journal) }
  var integration: Integration { Integration(journal) }

  /// Reads, changes and writes the value of a state file.
  func update<Value>(_ file: StateFile<Value>, _ body: (inout Value) -> Void) throws(DiaryError) {
    try change(file, body)
  }
}

extension Saver {
  var integration: Integration { Integration(journal) }

  /// Reads, changes and writes the value of a state file.
  func update<Value>(_ file: StateFile<Value>, _ body: (inout Value) -> Void) throws(DiaryError) {
    try change(file, body)
  }
}

extension Integration {
  var saver: Saver { Saver(journal) }

  /// Reads, changes and writes the value of a state file.
  func update<Value>(_ file: StateFile<Value>, _ body: (inout Value) -> Void) throws(DiaryError) {
    try change(file, body)
  }
}

private func change<Value>(
  _ file: StateFile<Value>, _ body: (inout Value) -> Void
) throws(DiaryError) {
  var value = try file.load()
  body(&value)
  try file.write(value)
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
    // A repository that cannot be opened fails here, before a command writes a file.
    _ = try repository
    try makeStateFolder()
    await mergeDriver.refreshMergeDriver()
    let journal = LockedJournal(self, try await waitForLock("lock"), task)
    // Another Diary process may have raised the version meanwhile.
    try gitLocation.requireSupportedState(of: root)
    do {
      // If this fails, the next lock tries again: another entry's save must not fail with it.
      try? await journal.integration.finishMerges()
      return try await body(journal)
    } catch {
      // The save that would have flushed an earlier one did not take place.
      try? await endFlush()
      throw error
    }
  }
}
