import DiaryCore
import Foundation
import GitHistory
import Localization

extension RemoteSync {
  /// Adds a remote to the journal and syncs with it for the first time. An existing remote of that
  /// name with another address is not changed.
  package func addRemote(_ url: String) async throws -> SyncOutcome {
    let name = journal.settings.syncRemote
    let own = try await journal.repository.configValue(Self.sealedRemoteKey)
    if let own, own != name, !isNamedForThisCommand {
      throw DiaryError(
        localized("this device syncs the journal with the sealed remote \"\(own)\""),
        hint: localized(
          "`git -C \(shellWord(journal.root)) remote add` adds another one, and "
            + "`diary config sync.remote NAME` chooses it"))
    }
    let wanted = JournalSetup.address(url, journal.environment)
    if let present = try await journal.repository.remotes().first(where: { $0.name == name }) {
      guard present.url == wanted else {
        throw DiaryError(
          localized("the journal already has a remote \"\(name)\""),
          details: [localized("remote: \(RemoteError.redacted(present.url ?? ""))")],
          hint:
            localized(
              "`git -C \(shellWord(journal.root)) remote set-url \(name) URL` changes it; then run `diary sync`"
            )
        )
      }
    } else {
      let result = try await journal.git.run(["remote", "add", "--", name, wanted])
      guard result.status == 0 else {
        let reason = RemoteError.reason(in: result.errors, fallback: localized("it gave no reason"))
        throw DiaryError(localized("git cannot add the remote: \(reason)"))
      }
      // Another remote had the name.
      try await journal.locked { locked in
        try locked.update(journal.state.sync) { state in
          if state.remote == name { (state.remote, state.tip) = (nil, nil) }
        }
      }
    }
    setMarker(.namedRemote)
    // Before the first push: after one that fails, a sync must not go to another, plain remote.
    if JournalSetup.sealedHost(of: wanted) != nil {
      try await journal.repository.setLocalConfig([(Self.sealedRemoteKey, name)])
    }
    let target = try await syncTarget()
    if try await journal.repository.upstream(of: target.branch) == nil {
      try await journal.repository.setUpstream(
        of: target.branch, remote: target.remote.name, branch: target.remoteRef)
    }
    return try await sync()
  }

  /// The sync status; `nil` if there is no remote.
  func syncStatus() async throws -> SyncStatus? {
    let state = try journal.state.sync.load()
    let chosen: Remote?
    do { chosen = try await chosenRemote() } catch let error as DiaryError {
      return SyncStatus(
        remote: state.remote ?? "", url: "", fetched: state.fetched, pushed: state.pushed,
        unsent: 0, error: error.message, hint: error.hint)
    }
    guard let remote = chosen else { return nil }
    var status = SyncStatus(
      remote: remote.name, url: RemoteError.redacted(remote.url ?? ""),
      fetched: state.fetched, pushed: state.pushed, unsent: 0)
    if let tip = try await journal.repository.head().commit, let target = try? await syncTarget() {
      let known = try await journal.repository.commit(of: target.trackingRef)
      status.unsent = try await journal.repository.unpushedCount(
        tip, known: [known].compactMap(\.self))
    }
    status.keptBoth = try await entriesToReview()
    status.error = state.trouble?.what
    status.errorSince = state.trouble?.since
    status.hint = state.trouble?.hint
    return status
  }

  /// The files with a waiting checkout, with the reason. Changes nothing.
  func waitingFiles() async throws -> [SkippedFile] {
    var files: [SkippedFile] = []
    for path in try journal.checkouts.loadWaitingCheckouts().keys.sorted() {
      let reason =
        if let reason = try await journal.checkouts.gitCheckoutReason(
          journal.gitLocation.repositoryPath(path))
        {
          reason
        } else if journal.isOpenInEditor(path) {
          localized("is open in an editor")
        } else {
          localized("is updated at the next save or sync")
        }
      files.append(SkippedFile(path: path, reason: reason))
    }
    return files
  }
}
