import DiaryCore
import GitHistory

extension Journal {
  /// The entries to look at: a merge kept two versions of something, or what one of them had taken
  /// away, and the text has not been changed since. Merges that came since ``noteReviews()`` are read,
  /// too, whichever device, or git, made them.
  func entriesToReview() async throws -> [EntryPath] {
    let new = try await mergedSinceNoted().open
    return try await Set(notedReviews() + new).sorted()
  }

  /// The entries to look at as the last sync or save noted them.
  package func notedReviews() async throws -> [EntryPath] {
    let noted = try syncState.load().keptBoth
    guard !noted.isEmpty else { return [] }
    let paths = noted.keys.compactMap { EntryPath(percentEncoded: $0) }
    let kept = try await repository.kept(paths)
    var open: [EntryPath] = []
    for path in paths.sorted() {
      guard let now = kept[path], let then = noted[path.percentEncoded].flatMap({ ObjectID($0) }),
        try await hasSameBody(then, now)
      else { continue }
      open.append(path)
    }
    return open
  }

  /// Reads the merges that came since the last time, and notes and returns the entries to look at;
  /// with `news` of the exchange, in one write.
  @discardableResult
  func noteReviews(
    with news: (@Sendable (inout SyncState) -> Void)? = nil
  ) async throws -> [EntryPath] {
    let new = try await mergedSinceNoted()
    guard new.tip != nil || news != nil else { return [] }
    let noted = try await noted(with: new.open)
    try syncState.change { state in
      news?(&state)
      if let noted { state.keptBoth = noted }
      if let tip = new.tip { state.reviewed = tip.description }
    }
    return new.open
  }

  /// Remembers entries to look at, by what is kept of them now; those that have been edited since are
  /// forgotten.
  func note(reviews paths: [EntryPath]) async throws {
    guard let noted = try await noted(with: paths) else { return }
    try syncState.change { $0.keptBoth = noted }
  }

  /// The noted entries with these, as they are written down; `nil`: as before.
  private func noted(with paths: [EntryPath]) async throws -> [String: String]? {
    guard !paths.isEmpty else { return nil }
    let open = try await notedReviews()
    let kept = try await repository.kept(open + paths)
    return Dictionary(uniqueKeysWithValues: kept.map { ($0.percentEncoded, $1.description) })
  }

  /// The entries to look at of merges that are not noted yet, and the commit up to which they were
  /// read; no commit where there is nothing new.
  private func mergedSinceNoted() async throws -> (tip: CommitID?, open: [EntryPath]) {
    let state = try syncState.load()
    guard let tip = try await repository.head().commit, state.reviewed != tip.description else {
      return (nil, [])
    }
    var known = state.reviewed.flatMap { CommitID($0) }
    if let last = known, try await !repository.contains(last) { known = nil }
    let merged = try await repository.entriesToReview(
      reachableFrom: tip, excluding: known, rules: Journal.mergeRules)
    let kept = try await repository.kept(merged.map(\.path))
    var open: Set<EntryPath> = []
    for entry in merged {
      if let now = kept[entry.path], try await hasSameBody(entry.blob, now) {
        open.insert(entry.path)
      }
    }
    return (tip, open.sorted())
  }

  /// Whether two versions of an entry differ in the header at most.
  private func hasSameBody(_ one: ObjectID, _ other: ObjectID) async throws -> Bool {
    if one == other { return true }
    guard try await repository.contains(one) else { return false }
    let texts = try await [repository.content(of: one), repository.content(of: other)]
      .map { EntryText($0) }
    return texts[0].bytes[texts[0].bodyRange] == texts[1].bytes[texts[1].bodyRange]
  }
}
