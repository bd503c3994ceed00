import DiaryCore
import DiaryKit
import Synchronization

/// The recent creations and renames of entries by pages, in memory.
actor RecentEntryChanges {
  /// The maximum number of creations, and of renames, to store.
  private static let maxCount = 256

  /// The facts about a created entry that answer a repeated request.
  struct Created: Sendable {
    let path: EntryPath
    let version: String
  }

  private var creations: [(key: String, task: Task<Created, any Error>)] = []
  private var moves: [(old: EntryPath, new: EntryPath)] = []

  /// Creates the entry of a request. A repeated request returns the entry that was created before;
  /// `isFirst` is then false.
  func entry(
    forKey key: String, _ create: @escaping @Sendable () async throws -> EditableEntry
  ) async throws -> (entry: Created, isFirst: Bool) {
    if let known = creations.first(where: { $0.key == key }) {
      return (try await known.task.value, false)
    }
    let task = Task {
      let entry = try await create()
      return Created(path: entry.path, version: entry.version)
    }
    creations.append((key, task))
    if creations.count > RecentEntryChanges.maxCount { creations.removeFirst() }
    do {
      return (try await task.value, true)
    } catch {
      creations.removeAll { $0.key == key }
      throw error
    }
  }

  /// Records that an entry was renamed, for pages with its old address.
  func recordMove(_ old: EntryPath, to new: EntryPath) {
    guard old != new else { return }
    moves.removeAll { $0.old == new }
    moves.append((old, new))
    if moves.count > RecentEntryChanges.maxCount { moves.removeFirst() }
  }

  /// The current path of an entry. An existing file is always the entry itself, because the old
  /// name of a renamed entry may be used again.
  func currentPath(of path: EntryPath, in journal: Journal) -> EntryPath {
    var path = path
    for _ in 0..<moves.count where !journal.catalog.hasFile(at: path) {
      guard let move = moves.last(where: { $0.old == path }) else { break }
      path = move.new
    }
    return path
  }
}
