import DiaryCore
import DiaryKit

/// The recent creations, saves and renames by pages, in memory.
actor RecentChanges {
  /// The maximum number of creations, of saves and of renames to store.
  private static let maxCount = 256

  /// The facts about a created entry, or an added file, that answer a repeated request.
  struct Created: Sendable {
    let path: EntryPath
    /// The version of the entry, or the Markdown of the file.
    let content: String
    /// The text that created an entry.
    var sent: SubmittedText?
  }

  private var creations: [(key: String, task: Task<Created, any Error>)] = []
  private var saves: [(page: String, version: String, sent: SubmittedText)] = []
  /// The end of the last save of each page.
  private var running: [String: Task<Void, Never>] = [:]
  /// The present path of each entry that a page has renamed.
  private var moves: [(old: EntryPath, new: EntryPath)] = []

  /// Creates what a request asks for. A repeated request returns what was created before; `isFirst` is
  /// then false.
  func created(
    forKey key: String, _ create: @escaping @Sendable () async throws -> Created
  ) async throws -> (created: Created, isFirst: Bool) {
    if let known = creations.first(where: { $0.key == key }) {
      return (try await known.task.value, false)
    }
    let task = Task { try await create() }
    creations.append((key, task))
    if creations.count > RecentChanges.maxCount { creations.removeFirst() }
    do {
      return (try await task.value, true)
    } catch {
      creations.removeAll { $0.key == key }
      throw error
    }
  }

  /// Saves what a page has sent, after what it has sent before. A page that is left while a save is
  /// under way sends a second text from the same version: the first one is a state of the same text then,
  /// not a change from elsewhere.
  ///
  /// - Parameter write: gets the page's text that was written from the same version before.
  /// - Returns: `nil` if a later text was written already.
  func save(
    _ sent: SubmittedText, from version: String,
    _ write: @escaping @Sendable (_ earlier: SubmittedText?) async throws -> WriteOutcome
  ) async throws -> WriteOutcome? {
    guard let page = sent.page else { return try await write(nil) }
    let before = running[page]
    let task = Task { () async throws -> WriteOutcome? in
      await before?.value
      let last = saves.last { $0.page == page }
      if sent.isEarlier(than: last?.sent) { return nil }
      let outcome = try await write(last?.version == version ? last?.sent : nil)
      guard case .written = outcome else { return outcome }
      saves.removeAll { $0.page == page }
      saves.append((page, version, sent))
      if saves.count > RecentChanges.maxCount { saves.removeFirst() }
      return outcome
    }
    let end = Task { _ = await task.result }
    running[page] = end
    defer { if running[page] == end { running[page] = nil } }
    return try await task.value
  }

  /// Records that an entry was renamed, for pages with its old address.
  func recordMove(_ old: EntryPath, to new: EntryPath) {
    guard old != new else { return }
    // An entry that had the new name before is gone.
    moves.removeAll { $0.old == new || $0.old == old || $0.new == new }
    for index in moves.indices where moves[index].new == old { moves[index].new = new }
    moves.append((old, new))
    if moves.count > RecentChanges.maxCount { moves.removeFirst() }
  }

  /// The current path of an entry. An existing file is always the entry itself, because the old
  /// name of a renamed entry may be used again.
  func currentPath(of path: EntryPath, in journal: Journal) -> EntryPath {
    journal.catalog.hasFile(at: path) ? path : moves.last { $0.old == path }?.new ?? path
  }
}
