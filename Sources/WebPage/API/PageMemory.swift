import DiaryCore
import DiaryKit
import Synchronization

/// What the server remembers of entries that pages begin and leave, while it runs.
actor RecentEntryChanges {
  /// How many creations and moves are remembered.
  private static let maxCount = 256

  private var creations: [(key: String, task: Task<EditableEntry, any Error>)] = []
  private var moves: [(old: EntryPath, new: EntryPath)] = []

  /// The entry that a request makes; a request that is repeated gets the one that was made. `isFirst`
  /// says which of the two this is.
  func entry(
    forKey key: String, _ create: @escaping @Sendable () async throws -> EditableEntry
  ) async throws -> (entry: EditableEntry, isFirst: Bool) {
    if let known = creations.first(where: { $0.key == key }) {
      return (try await known.task.value, false)
    }
    let task = Task { try await create() }
    creations.append((key, task))
    if creations.count > RecentEntryChanges.maxCount { creations.removeFirst() }
    do {
      return (try await task.value, true)
    } catch {
      creations.removeAll { $0.key == key }
      throw error
    }
  }

  /// Remembers that an entry was renamed, for pages that know its old address.
  func recordMove(_ old: EntryPath, to new: EntryPath) {
    guard old != new else { return }
    moves.removeAll { $0.old == new }
    moves.append((old, new))
    if moves.count > RecentEntryChanges.maxCount { moves.removeFirst() }
  }

  /// Where the entry of an address lies now. A file that stands there is the entry, whatever was there
  /// before: the name of one that was renamed is free for the next.
  func currentPath(of path: EntryPath, in journal: Journal) -> EntryPath {
    var path = path
    for _ in 0..<moves.count where !journal.hasFile(at: path) {
      guard let move = moves.last(where: { $0.old == path }) else { break }
      path = move.new
    }
    return path
  }
}
