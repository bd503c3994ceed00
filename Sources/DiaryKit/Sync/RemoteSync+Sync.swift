import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Localization

extension RemoteSync {
  /// Saves, commits the sitting, and syncs with the remote until both have the same content.
  ///
  /// With `acceptingRewritten` a remote branch that was force-pushed is merged as usual.
  package func sync(acceptingRewritten: Bool = false) async throws -> SyncOutcome {
    let remote = try await syncTarget()
    var outcome = SyncOutcome(save: try await journal.save(), remote: remote.remote.name)
    if let waiting = outcome.save.deferReason { throw DiaryError.deferredCommit(waiting) }
    let failure = await performSync(
      with: remote, into: &outcome, timeout: journal.settings.syncTimeout,
      acceptingRewritten: acceptingRewritten)
    let written = outcome.displaced.filter { !$0.file.discard() }
    outcome.displaced = []
    if !written.isEmpty { try await journal.locked { try await $0.saver.discard(written) } }
    if let failure { throw failure }
    try? await journal.repackIfDue(timeout: 60)
    return outcome
  }

  /// Syncs for the watcher. The sitting stays open unless the remote has new commits. A sync that
  /// failed may have received commits before.
  func syncForWatcher(
    timeout: Double? = nil
  ) async throws -> (outcome: SyncOutcome, failure: DiaryError?) {
    let remote = try await syncTarget()
    var outcome = SyncOutcome(save: SaveOutcome(), remote: remote.remote.name)
    let failure = await performSync(
      with: remote, into: &outcome, timeout: timeout ?? journal.settings.syncTimeout,
      acceptingRewritten: false)
    return (outcome, failure)
  }

  /// Fetches, merges and pushes, again if another device pushed first. Returns the error of a step;
  /// what was done before it is in the outcome. The result is recorded for `status`. The journal is
  /// locked while the branch moves and once at the end, but never during network access.
  private func performSync(
    with target: SyncTarget, into outcome: inout SyncOutcome, timeout: Double,
    acceptingRewritten: Bool
  ) async -> DiaryError? {
    do {
      guard let lock = try await syncLock(with: target) else {
        return DiaryError(
          localized("another diary process is syncing \(journal.root)"),
          hint: localized("wait for it to end, then try again"))
      }
      defer { withExtendedLifetime(lock) {} }
      let git = journal.git(timeout: timeout)
      var pause = 0.2
      var pushed: CommitID?
      let addresses = try await pushAddresses(of: target)
      try await rememberSealed(target.remote.name)
      for attempt in 1...8 {
        let tip = try await fetch(target, git, acceptingRewritten)
        let integration = try await journal.locked { locked in
          try locked.integration.recordFetch(of: tip, target)
          return try await locked.integration.integrateRemote(tip, target)
        }
        outcome.merge(integration)
        pushed = integration.tip
        guard
          let pushError = try await push(
            integration.tip, tip, target, addresses, git, acceptingRewritten, into: &outcome)
        else { break }
        // A running git locks a branch for milliseconds, even if its push is slow.
        if attempt == (pushError == .nonFastForward ? 8 : 5) {
          clearGitLockRecord(.completed)
          throw pushError.error(remote: target.remote)
        }
        try await wait(for: .seconds(Double.random(in: pause / 2...pause)))
        pause *= 2
      }
      clearGitLockRecord(.completed)
      let (tip, moment) = (pushed, journal.now)
      let reviews = try await journal.locked { locked in
        try await locked.integration.recordReviews { state in
          state.trouble = nil
          if let tip { (state.tip, state.pushed) = (tip.description, moment) }
        }
      }
      outcome.keptBoth = Set(outcome.keptBoth + reviews).sorted()
      return nil
    } catch {
      clearGitLockRecord(.failed)
      let error = DiaryError(error)
      try? await recordError(error)
      return error
    }
  }

  private func recordError(_ error: DiaryError) async throws {
    let moment = journal.now
    try await journal.locked { locked in
      try locked.update(journal.state.sync) { state in
        let since = state.trouble?.what == error.message ? state.trouble?.since : nil
        state.trouble = SyncState.Failure(
          what: error.message, hint: error.hint, since: since ?? moment)
      }
    }
  }

  /// The option with which a sealed remote takes a host that lost what was seen there.
  static func options(_ acceptingRewritten: Bool) -> [String] {
    acceptingRewritten ? ["-c", "diary.acceptRewritten=true"] : []
  }

  /// The addresses from which git fetches, or with `--push` to which it pushes.
  func addresses(of name: String, _ options: [String] = []) async throws -> [String] {
    let result = try await journal.git.run(
      ["remote", "get-url", "--all"] + options + ["--", name])
    return String(decoding: result.output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  // MARK: Fetch

  /// Fetches the remote branch. Returns its tip; `nil` if the remote does not have it.
  private func fetch(
    _ target: SyncTarget, _ git: GitCLI, _ acceptingRewritten: Bool
  ) async throws -> CommitID? {
    let started = Int(Date().timeIntervalSince1970) - 2
    let result = try await git.run(
      Self.options(acceptingRewritten) + [
        "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
        "--no-recurse-submodules", target.remote.name, "+\(target.remoteRef):\(target.trackingRef)",
      ])
    if result.status != 0 {
      let remoteError = RemoteError(
        reading: String(decoding: result.output, as: UTF8.self), result.errors)
      guard remoteError == .noBranch else { throw remoteError.error(remote: target.remote) }
    }
    try await journal.repository.syncObjectFolders(changedSince: started)
    let tip = result.status == 0 ? try await journal.repository.commit(of: target.trackingRef) : nil
    try await rejectRewrittenBranch(tip, target, acceptingRewritten)
    return tip
  }
}

extension Integration {
  /// Records the remote's tip before the branch moves to it.
  fileprivate func recordFetch(of tip: CommitID?, _ target: SyncTarget) throws {
    let moment = journal.now
    try update(journal.state.sync) { state in
      (state.remote, state.branch) = (target.remote.name, target.remoteRef)
      (state.tip, state.fetched) = (tip?.description, moment)
    }
  }
}

extension SyncOutcome {
  fileprivate mutating func merge(_ result: IntegrationResult) {
    received += result.received
    hasMerged = hasMerged || result.hasMerged
    hasJoinedHistories = hasJoinedHistories || result.hasJoinedHistories
    keptBoth += result.keptBoth
    if let save = result.save { self.save.merge(save) }
    add(result.checkout)
  }
}

extension SaveOutcome {
  /// Combines two saves. The files that were not saved are those of the later one.
  fileprivate mutating func merge(_ later: SaveOutcome) {
    let (first, again, commit) = (saved, remergedEntries, self.commit)
    let deleted = deletedAgain
    self = later
    saved = first + later.saved
    remergedEntries = again + later.remergedEntries
    deletedAgain = deleted + later.deletedAgain
    self.commit = later.commit ?? commit
  }
}
