import DiaryCore
import GitHistory

extension RemoteSync {
  /// The entries to review. A merge kept two versions of a passage, or a passage that one of them
  /// had removed, and the text is unchanged since. Merges after the last ``recordReviews(with:)`` are
  /// included, from any device and from git.
  func entriesToReview() async throws -> [EntryPath] {
    let new = try await newReviews().open
    return try await Set(recordedReviews() + new).sorted()
  }

  /// The entries to review as of the last sync or save.
  package func recordedReviews() async throws -> [EntryPath] {
    let recorded = try journal.state.sync.load().keptBoth
    guard !recorded.isEmpty else { return [] }
    let paths = recorded.keys.compactMap { EntryPath(percentEncoded: $0) }
    let kept = try await journal.repository.savedBlobs(at: paths)
    var open: [EntryPath] = []
    for path in paths.sorted() {
      guard let now = kept[path],
        let then = recorded[path.percentEncoded].flatMap({ ObjectID($0) }),
        try await hasSameBody(then, now)
      else { continue }
      open.append(path)
    }
    return open
  }

  /// The recorded entries and these, in stored form; `nil` for no change.
  fileprivate func reviewRecord(with paths: [EntryPath]) async throws -> [String: String]? {
    guard !paths.isEmpty else { return nil }
    let open = try await recordedReviews()
    let kept = try await journal.repository.savedBlobs(at: open + paths)
    return Dictionary(uniqueKeysWithValues: kept.map { ($0.percentEncoded, $1.description) })
  }

  /// The entries to review from merges that are not recorded yet, and the last commit that was
  /// read; no commit if there is nothing new.
  fileprivate func newReviews() async throws -> (tip: CommitID?, open: [EntryPath]) {
    let state = try journal.state.sync.load()
    guard let tip = try await journal.repository.head().commit, state.reviewed != tip.description
    else {
      return (nil, [])
    }
    var known = state.reviewed.flatMap { CommitID($0) }
    if let last = known, try await !journal.repository.contains(last) { known = nil }
    let merged = try await journal.repository.entriesToReview(
      reachableFrom: tip, excluding: known, rules: RemoteSync.mergeRules)
    let kept = try await journal.repository.savedBlobs(at: merged.map(\.path))
    var open: Set<EntryPath> = []
    for entry in merged {
      if let now = kept[entry.path], try await hasSameBody(entry.blob, now) {
        open.insert(entry.path)
      }
    }
    return (tip, open.sorted())
  }

  /// True if two versions of an entry differ only in the header.
  private func hasSameBody(_ one: ObjectID, _ other: ObjectID) async throws -> Bool {
    if one == other { return true }
    guard try await journal.repository.contains(one) else { return false }
    let texts = try await [
      journal.repository.content(of: one), journal.repository.content(of: other),
    ]
    .map { EntryText($0) }
    return texts[0].bodyBytes == texts[1].bodyBytes
  }
}

extension Integration {
  /// Reads the merges since the last call, and records and returns the entries to review. The
  /// closure changes the sync state in the same write.
  @discardableResult
  func recordReviews(
    with change: (@Sendable (inout SyncState) -> Void)? = nil
  ) async throws -> [EntryPath] {
    let new = try await journal.remote.newReviews()
    guard new.tip != nil || change != nil else { return [] }
    let recorded = try await journal.remote.reviewRecord(with: new.open)
    try update(journal.state.sync) { state in
      change?(&state)
      if let recorded { state.keptBoth = recorded }
      if let tip = new.tip { state.reviewed = tip.description }
    }
    return new.open
  }

  /// Records entries to review with their saved content. Recorded entries that were edited since
  /// are removed.
  func addReviews(_ paths: [EntryPath]) async throws {
    guard let recorded = try await journal.remote.reviewRecord(with: paths) else { return }
    try update(journal.state.sync) { $0.keptBoth = recorded }
  }
}
