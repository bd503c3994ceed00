import DiaryCore
import Foundation
import GitHistory
import Localization

extension RemoteSync {
  /// Pushes the branch if the remote may lack any of it. Returns the error if another push was first;
  /// `nil` if the remote has all commits now.
  ///
  /// - Parameter addresses: those for pushes that the remote had at the start of the sync.
  func push(
    _ ours: CommitID?, _ theirs: CommitID?, _ target: SyncTarget, _ addresses: [String],
    _ git: GitCLI, _ acceptingRewritten: Bool, into outcome: inout SyncOutcome
  ) async throws -> RemoteError? {
    guard let ours else { return nil }
    var addresses = addresses
    let isBehind = ours != theirs
    // Of several addresses for pushes, only the first is known to have all.
    guard isBehind || addresses.count > 1 else { return nil }
    try await requireOnlyDiaryCommits(ours, theirs, target)
    let count = try await journal.repository.unpushedCount(ours, known: [theirs].compactMap(\.self))
    // git pushes to the addresses that the remote has now.
    while true {
      if let silent = try await requireNotSealed(target, theirs, addresses, git) {
        if isBehind { throw silent }
        outcome.otherAddressError = otherAddress(silent)
        return nil
      }
      let now = try await pushAddresses(of: target)
      if now == addresses { break }
      addresses = now
    }
    var arguments = ["push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no"]
    // A receive-pack program that the user configured is not changed.
    if try await journal.repository.configValue("remote.\(target.remote.name).receivepack") == nil {
      arguments += GitCLI.durablePushOptions(to: addresses)
    }
    let command =
      Self.options(acceptingRewritten) + arguments
      + [target.remote.name, "\(ours):\(target.remoteRef)"]
    let result: ProcessRunner.Result
    do { result = try await git.run(command) } catch {
      if isBehind { throw error }
      outcome.otherAddressError = otherAddress(error)
      return nil
    }
    let report = PushReport(String(decoding: result.output, as: UTF8.self), addresses)
    // Count now what the first address has: after a failure of another one, the next try sends it nothing.
    if result.status == 0 || report.hasFirst { outcome.sent += count }
    if result.status == 0 { return nil }
    let remoteError = RemoteError(reading: report.text, result.errors, isPush: true)
    let error = remoteError.error(remote: target.remote.pushed(to: report.failed))
    guard isBehind else {
      outcome.otherAddressError = otherAddress(error)
      return nil
    }
    switch remoteError {
    case .nonFastForward, .locked: return remoteError
    default: throw error
    }
  }

  private func otherAddress(_ error: DiaryError) -> DiaryError {
    var error = error
    error.message = localized(
      "another address of the remote may lack commits: \(error.message)")
    return error
  }

  // MARK: Addresses

  /// Throws if a first push would make a branch on the host of a sealed remote, or a push change that
  /// remote's own: the journal would stand in plain beside it, or in its place. Where the journal has a
  /// sealed remote, each push is looked at that goes to another host than the fetch. Returns the error of
  /// one that does not answer then: it may be sealed.
  private func requireNotSealed(
    _ target: SyncTarget, _ theirs: CommitID?, _ addresses: [String], _ git: GitCLI
  ) async throws -> DiaryError? {
    let name = target.remote.name
    if JournalSetup.sealedHost(of: target.remote.url) != nil { return nil }
    let fetched = try await self.addresses(of: name).first ?? name
    let hasSealed = try await journal.repository.remotes().contains { $0.sealedURL != nil }
    if let theirs {
      if target.remoteRef == "refs/heads/sealed", try await SealedKeys.isCarrier("\(theirs)", git) {
        throw sealedHost(target.remote)
      }
      guard hasSealed else { return nil }
    } else {
      let heads = try await git.run(["ls-remote", "--heads", "--", name])
      guard heads.status == 0 else {
        throw RemoteError(reading: "", heads.errors).error(remote: target.remote)
      }
      if try await isSealed(fetched, heads, git) { throw sealedHost(target.remote) }
    }
    // Other addresses for pushes, as far as they answer soon.
    let look = journal.git(timeout: min(15, journal.settings.syncTimeout))
    for address in addresses where address != fetched {
      let list = Self.exactly(address) + ["ls-remote", "--heads", "--", address]
      let heads: ProcessRunner.Result
      do {
        heads = try await look.run(list)
        guard heads.status == 0 else {
          throw RemoteError(reading: "", heads.errors)
            .error(remote: target.remote.pushed(to: address))
        }
      } catch {
        guard hasSealed else { continue }
        var error = DiaryError(error)
        error.details = [localized("remote: \(RemoteError.redacted(address))")]
        return error
      }
      if try await isSealed(address, heads, git) {
        throw sealedHost(target.remote.pushed(to: address))
      }
    }
    return nil
  }

  private func sealedHost(_ remote: SyncRemote) -> DiaryError {
    DiaryError(
      localized("the host has a sealed remote, and the journal would be pushed to it in plain"),
      details: [localized("remote: \(remote.redactedURL)")],
      hint: localized(
        "`\(remote.changeCommand(to: "diary::ADDRESS"))` names it as sealed; docs/sealed.md"))
  }

  /// The addresses to which git pushes. Throws if a sealed remote has an address in plain, too: one of its
  /// own for pushes, or one that git puts in the place of the sealed one. git alone knows all of them.
  func pushAddresses(of target: SyncTarget) async throws -> [String] {
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

  // MARK: Commits

  /// Throws if the push contains commits of the user in a repository that Diary did not create.
  func requireOnlyDiaryCommits(
    _ ours: CommitID, _ theirs: CommitID?, _ target: SyncTarget, isUnrelated: Bool = false
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
      hint: isUnrelated
        ? localized(
          "merge and push them yourself (`\(gitPull(target)) && \(gitPush(target))`), then run "
            + "`diary sync`")
        : localized("push them yourself (`\(gitPush(target))`), then run `diary sync`"))
  }

  /// git's command for a push: alone, it may push to another remote than Diary.
  private func gitPush(_ target: SyncTarget) -> String {
    let (name, theirs) = (target.remote.name, target.remoteRef.dropFirst("refs/heads/".count))
    let refs = theirs == target.branch ? target.branch : "\(target.branch):\(theirs)"
    return "git -C \(shellWord(journal.root)) push \(shellWord(name)) \(shellWord(refs))"
  }

  /// git's command that merges a history of its own on the remote.
  private func gitPull(_ target: SyncTarget) -> String {
    let branch = String(target.remoteRef.dropFirst("refs/heads/".count))
    return "git -C \(shellWord(journal.root)) pull --no-rebase --allow-unrelated-histories "
      + "\(shellWord(target.remote.name)) \(shellWord(branch))"
  }
}

/// The output of `git push --porcelain`. For each address, in their order, it has a line `To ADDRESS`, one
/// for each ref, and `Done` if all were taken. After a connection that fails, git tries no further address.
struct PushReport {
  let text: String
  /// True if the first address has what was pushed.
  let hasFirst: Bool
  /// The first address that does not have it, or that git did not reach.
  let failed: String?

  init(_ text: String, _ addresses: [String]) {
    self.text = text
    var taken: [Bool] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("To ") { taken.append(false) }
      if line == "Done", !taken.isEmpty { taken[taken.count - 1] = true }
    }
    hasFirst = taken.first == true
    let index = taken.firstIndex(of: false) ?? taken.count
    failed = addresses.indices.contains(index) ? addresses[index] : nil
  }
}
