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
  private static func options(_ acceptingRewritten: Bool) -> [String] {
    acceptingRewritten ? ["-c", "diary.acceptRewritten=true"] : []
  }

  /// Throws if a first push would make a branch on the host of a sealed remote, or a push change that
  /// remote's own: the journal would stand in plain beside it, or in its place. Where the journal has a
  /// sealed remote, each push is looked at that goes to another host than the fetch.
  private func requireNotSealed(
    _ target: SyncTarget, _ theirs: CommitID?, _ addresses: [String], _ git: GitCLI
  ) async throws {
    let name = target.remote.name
    if JournalSetup.sealedHost(of: target.remote.url) != nil { return }
    let fetched = try await self.addresses(of: name).first ?? name
    if let theirs {
      if target.remoteRef == "refs/heads/sealed", try await SealedKeys.isCarrier("\(theirs)", git) {
        throw sealedHost(target)
      }
      let remotes = try await journal.repository.remotes()
      guard remotes.contains(where: { $0.sealedURL != nil }) else { return }
    } else {
      let heads = try await git.run(["ls-remote", "--heads", "--", name])
      guard heads.status == 0 else {
        throw RemoteError(reading: "", heads.errors).error(remote: target.remote)
      }
      if try await isSealed(fetched, heads, git) { throw sealedHost(target) }
    }
    // Other addresses for pushes, as far as they answer soon.
    let look = journal.git(timeout: min(15, journal.settings.syncTimeout))
    for address in addresses where address != fetched {
      let list = Self.exactly(address) + ["ls-remote", "--heads", "--", address]
      guard let heads = try? await look.run(list) else { continue }
      if try await isSealed(address, heads, git) { throw sealedHost(target) }
    }
  }

  private func sealedHost(_ target: SyncTarget) -> DiaryError {
    let address = RemoteError.redacted(target.remote.url)
    return DiaryError(
      localized("the host has a sealed remote, and the journal would be pushed to it in plain"),
      details: [localized("remote: \(address)")],
      hint: localized(
        "`git -C \(shellWord(journal.root)) remote set-url \(target.remote.name) diary::ADDRESS` "
          + "names it as sealed; docs/sealed.md"))
  }

  /// The addresses to which git pushes. Throws if a sealed remote has an address in plain, too: one of its
  /// own for pushes, or one that git puts in the place of the sealed one. git alone knows all of them.
  private func pushAddresses(of target: SyncTarget) async throws -> [String] {
    let name = target.remote.name
    let pushed = try await addresses(of: name, ["--push"])
    let used = try await addresses(of: name) + pushed
    let remote = try await journal.repository.remotes().first { $0.name == name }
    guard
      remote?.sealedURL != nil || used.contains(where: { JournalSetup.sealedHost(of: $0) != nil }),
      let plain = used.first(where: { JournalSetup.sealedHost(of: $0) == nil })
    else { return pushed }
    throw DiaryError(
      localized("the remote \"\(name)\" is sealed, but git would push to another address in plain"),
      details: [localized("address: \(RemoteError.redacted(plain))")],
      hint: localized(
        "nothing was pushed; `git -C \(shellWord(journal.root)) config --get-regexp "
          + "'pushurl|insteadof'` shows why"))
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

  // MARK: Push

  /// Pushes the branch if the remote may lack any of it. Returns the error if another push was first;
  /// `nil` if the remote has all commits now.
  private func push(
    _ ours: CommitID?, _ theirs: CommitID?, _ target: SyncTarget, _ addresses: [String],
    _ git: GitCLI, _ acceptingRewritten: Bool, into outcome: inout SyncOutcome
  ) async throws -> RemoteError? {
    guard let ours else { return nil }
    var sent = 0
    let isBehind = ours != theirs
    // Of several addresses for pushes, only the first is known to have all.
    if isBehind || addresses.count > 1 {
      try await requireNotSealed(target, theirs, addresses, git)
      try await requireOnlyDiaryCommits(ours, theirs, target)
      sent = try await journal.repository.unpushedCount(ours, known: [theirs].compactMap(\.self))
      var arguments = ["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"]
      // A receive-pack program that the user configured is not changed.
      if try await journal.repository.configValue("remote.\(target.remote.name).receivepack") == nil
      {
        arguments += GitCLI.durablePushOptions(to: addresses)
      }
      let command =
        Self.options(acceptingRewritten) + arguments
        + [target.remote.name, "\(ours):\(target.remoteRef)"]
      func otherAddress(_ error: DiaryError) -> DiaryError {
        DiaryError(localized("another address of the remote may lack commits: \(error.message)"))
      }
      let pushed: Result<ProcessRunner.Result, DiaryError>
      do { pushed = .success(try await git.run(command)) } catch { pushed = .failure(error) }
      if !isBehind, case .failure(let error) = pushed {
        outcome.otherAddressError = otherAddress(error)
        return nil
      }
      let result = try pushed.get()
      if result.status != 0 {
        let remoteError = RemoteError(
          reading: String(decoding: result.output, as: UTF8.self), result.errors, isPush: true)
        guard isBehind else {
          outcome.otherAddressError = otherAddress(remoteError.error(remote: nil))
          return nil
        }
        switch remoteError {
        case .nonFastForward, .locked: return remoteError
        default: throw remoteError.error(remote: target.remote)
        }
      }
    }
    outcome.sent += sent
    return nil
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

extension RemoteSync {
  /// Throws if the push contains commits of the user in a repository that Diary did not create.
  private func requireOnlyDiaryCommits(
    _ ours: CommitID, _ theirs: CommitID?, _ target: SyncTarget
  ) async throws {
    if try await isRepositoryCreatedByDiary() { return }
    let known = [theirs].compactMap(\.self)
    let foreign = try await journal.repository.unpushed(ours, known: known).filter(\.isForeign)
    guard !foreign.isEmpty else { return }
    let lines = foreign.prefix(10).map { commit in
      let subject = commit.message.split(separator: "\n").first.map(String.init) ?? ""
      return "\(commit.id.short) \(subject)"
    }
    throw DiaryError(
      localized(
        "\(counted(foreign.count, "commit", "commits")) that Diary did not create would "
          + "be pushed with the journal"),
      details: lines,
      hint: localized("push them yourself (`\(gitPush(target))`), then run `diary sync`"))
  }

  /// git's command for a push: alone, it may push to another remote than Diary.
  private func gitPush(_ target: SyncTarget) -> String {
    let (name, theirs) = (target.remote.name, target.remoteRef.dropFirst("refs/heads/".count))
    let refs = theirs == target.branch ? target.branch : "\(target.branch):\(theirs)"
    return "git -C \(shellWord(journal.root)) push \(shellWord(name)) \(shellWord(refs))"
  }
}
