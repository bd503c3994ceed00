import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The result of integrating the remote's commits.
struct IntegrationResult: Sendable {
  /// The branch's tip now; `nil` before its first commit.
  var tip: CommitID?
  var received = 0
  var hasMerged = false
  var hasJoinedHistories = false
  var keptBoth: [EntryPath] = []
  var checkout = CheckoutResult()
  /// The save before the branch moved, if the branch had to move.
  var save: SaveOutcome?
}

extension Integration {
  /// Moves the branch to the merge of itself and the remote's tip, and updates the files.
  func integrateRemote(_ tip: CommitID?, _ target: SyncTarget) async throws -> IntegrationResult {
    var integration = IntegrationResult()
    integration.tip = try await journal.repository.head().commit
    if let tip {
      let (before, relation) = (integration.tip, try await relation(of: integration.tip, to: tip))
      if relation?.hasNothingNew != true {
        integration.save = try await saveBeforeMove()
        integration.tip = try await journal.repository.head().commit
        // The save, or git, may have made a commit, which changes the relation.
        try await mergeOrFastForward(
          integration.tip == before ? relation : self.relation(of: integration.tip, to: tip), tip,
          target,
          into: &integration)
      }
    }
    integration.checkout = try await applyCheckouts()
    if !integration.checkout.checkedOut.isEmpty || integration.received > 0 {
      try await indexCheckedOut(integration)
      try journal.catalog.writeListFile()
      try await saveListFile(into: &integration)
    }
    return integration
  }

  /// The relation of the two commits; `nil` if there is no local commit yet.
  private func relation(of ours: CommitID?, to tip: CommitID) async throws -> CommitRelation? {
    guard let ours else { return nil }
    return try await journal.repository.relation(of: ours, to: tip)
  }

  /// Updates the index for files that were checked out or saved. If `.gitignore` changed, all files
  /// are scanned, because git may ignore different files.
  private func indexCheckedOut(_ integration: IntegrationResult) async throws {
    let done = integration.checkout.checkedOut
    if done.contains(where: { $0.name == ".gitignore" }) {
      try await journal.catalog.updateIndex()
    } else {
      _ = try await journal.catalog.updateIndex(
        only: done.compactMap(journal.gitLocation.journalPath) + (integration.save?.saved ?? []))
    }
  }

  /// Commits all changes on disk before the branch moves. A save that stayed pending would hide what
  /// the remote brings to its file, so that the next commit would take it back.
  private func saveBeforeMove() async throws -> SaveOutcome {
    var save = try await saver.saveChanges(try await saver.collectAllChanges())
    try await saver.endSitting(into: &save)
    if save.deferReason == nil, try await !journal.repository.pending().isEmpty {
      try await saver.endSitting(into: &save, isWhole: true)
    }
    if let waiting = save.deferReason { throw DiaryError.deferredCommit(waiting) }
    return save
  }

  private func mergeOrFastForward(
    _ relation: CommitRelation?, _ tip: CommitID, _ target: SyncTarget,
    into integration: inout IntegrationResult
  ) async throws {
    guard let ours = integration.tip, let relation else {
      integration.received = try await journal.repository.unpushedCount(tip, known: [])
      return try await moveBranch(to: tip, "fast-forward", moved: [:], into: &integration)
    }
    switch relation {
    case .same, .ahead: return
    case .behind(let count):
      integration.received = count
      return try await moveBranch(to: tip, "fast-forward", moved: nil, into: &integration)
    case .diverged(_, let count):
      integration.received = count
      if try await isEquivalentMerge(ours, in: tip) {
        // Another device merged the same two. Use its commit: ours adds nothing to it.
        return try await moveBranch(to: tip, "merge", moved: nil, into: &integration)
      }
    case .unrelated:
      try await requireJournalHistory(tip, target)
      // The push would refuse these commits after the merge.
      try await journal.remote.requireOnlyDiaryCommits(ours, tip, target, isUnrelated: true)
      integration.received = try await journal.repository.unpushedCount(tip, known: [ours])
      integration.hasJoinedHistories = true
    }
    try await merge(ours, tip, target, into: &integration)
  }

  /// True if `tip` contains another merge commit with the same parents and files as `ours`.
  private func isEquivalentMerge(_ ours: CommitID, in tip: CommitID) async throws -> Bool {
    guard
      let equivalent = try await journal.repository.equivalentMerge(
        of: ours, in: tip, excluding: ours)
    else {
      return false
    }
    return try await journal.repository.changedFiles(from: ours, to: equivalent).isEmpty
  }

  private func merge(
    _ ours: CommitID, _ tip: CommitID, _ target: SyncTarget,
    into integration: inout IntegrationResult
  ) async throws {
    let author =
      try await journal.repository.isCommitSigningEnabled() ? journal.repository.identity() : nil
    let result = try await journal.repository.mergeCommit(
      ours, tip, rules: RemoteSync.mergeRules, by: author)
    switch result {
    case .conflicting(let paths):
      throw DiaryError(
        localized("both devices changed files outside the journal, which Diary does not merge"),
        details: paths.prefix(10).map(\.text),
        hint: localized(
          "merge them with git: `git merge \(target.trackingRef)`, then run `diary sync`"))
    case .merged(let commit):
      let isFirst = commit.parents.first == ours
      try await moveBranch(
        to: commit.id, "merge",
        moved: isFirst ? commit.merge.newPathsOfA : commit.merge.newPathsOfB, merging: tip,
        into: &integration)
      integration.hasMerged = true
      integration.keptBoth = commit.merge.conflictPaths.sorted()
      try await addReviews(integration.keptBoth)
    }
  }

  /// Throws if the remote is not a journal, so its unrelated history cannot be joined.
  private func requireJournalHistory(_ tip: CommitID, _ target: SyncTarget) async throws {
    if try await journal.repository.isShallow() {
      throw DiaryError(
        localized("this clone is shallow and lacks the history it shares with the remote"),
        hint: localized("`git fetch --unshallow \(target.remote.name)` fetches the whole history"))
    }
    guard let settings = EntryPath(".diary/config.yml"),
      try await journal.repository.file(at: settings, in: tip) == nil
    else { return }
    throw DiaryError(
      localized("the remote \"\(target.remote.name)\" is not a journal"),
      details: [localized("remote: \(target.remote.redactedURL)")],
      hint: localized("use an empty repository or another branch; nothing was changed"))
  }

  /// Records the files on disk, then moves the branch and the index.
  private func moveBranch(
    to tip: CommitID, _ reason: String, moved: [EntryPath: EntryPath]?,
    merging theirs: CommitID? = nil,
    into integration: inout IntegrationResult
  ) async throws {
    let head = try await journal.repository.head()
    let files = try await journal.repository.changedFiles(from: head.commit, to: tip)
    try await requireCleanOutside(files)
    let before = try journal.state.checkouts.load()
    var deleted: [EntryPath: ObjectID] = [:]
    if let theirs, let ours = head.commit {
      let created = files.filter { $0.old == nil && $0.new?.kind.isFile == true }.map(\.path)
      deleted = try await journal.repository.commonBlobs(at: created, of: ours, and: theirs)
    }
    try await recordCheckouts(files, moved: moved, deleted: deleted)
    let moment = journal.now
    // If an error follows the move of the branch, the records must stay, as after a kill. If the
    // branch has not moved, they are still correct.
    let outcome = try await journal.repository.advance(
      to: tip, from: head, reason: "diary sync: \(reason)", at: moment,
      offsetMinutes: journal.utcOffset(at: moment) / 60)
    guard case .moved(let done) = outcome else {
      try writeCheckoutRecords(before)
      throw DiaryError.moveFailed(outcome)
    }
    let skipped = Set(done.filter(\.isSkipWorktree).map(\.path))
    if !skipped.isEmpty {
      // The user's sparse checkout leaves these files out.
      try writeCheckoutRecords(
        journal.state.checkouts.load().filter { !($0.path.map(skipped.contains) ?? true) }
      )
    }
    integration.tip = tip
  }
}

extension RemoteSync {
  /// The merge rules for entries. They use nothing of this device: two devices must merge the same
  /// pair to the same result.
  static let mergeRules = MergeRules(
    isEntry: { $0.isMarkdown },
    day: { path, bytes in
      let zone = TimeZone(secondsFromGMT: 0) ?? .current
      return Entry(path: path, text: EntryText(bytes), settings: Settings(), zone: zone).day
    })
}

extension CommitRelation {
  /// True if the other commit has nothing that the first one lacks.
  fileprivate var hasNothingNew: Bool {
    switch self {
    case .same, .ahead: true
    case .behind, .diverged, .unrelated: false
    }
  }
}

extension DiaryError {
  static func deferredCommit(_ reason: DeferReason) -> DiaryError {
    DiaryError(
      localized("cannot sync while commits are on hold: \(reason.message)"),
      hint: localized(
        "finish or abort it (`git status` shows how), then sync again; nothing is lost"))
  }

  fileprivate static func moveFailed(_ outcome: AdvanceResult) -> DiaryError {
    switch outcome {
    case .moved: DiaryError(localized("the branch has moved"))
    case .deferred(let reason): .deferredCommit(reason)
    case .headMoved:
      DiaryError(
        localized("the branch moved during the sync"), hint: localized("run `diary sync` again"))
    case .staged(let paths):
      DiaryError(
        localized("another device changed what you have staged here"),
        details: paths.prefix(10).map(\.text),
        hint: localized("commit or unstage it (`git restore --staged PATH`), then run `diary sync`")
      )
    }
  }
}
