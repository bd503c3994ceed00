import DiaryCore
import GitHistory
import Localization

extension RemoteSync {
  /// Throws if the remote branch was rewritten and lacks commits that this device has seen.
  func rejectRewrittenBranch(
    _ tip: CommitID?, _ target: SyncTarget, _ accepting: Bool
  ) async throws {
    let state = try journal.state.sync.load()
    guard !accepting, state.remote == target.remote.name, state.branch == target.remoteRef,
      let last = state.tip.flatMap({ CommitID($0) }), last != tip
    else { return }
    if let tip, try await journal.repository.isAncestor(last, of: tip) { return }
    throw DiaryError(
      tip == nil
        ? localized("the branch no longer exists on the remote \"\(target.remote.name)\"")
        : localized(
          "the branch on the remote \"\(target.remote.name)\" was rewritten: it lacks "
            + "commits that it had before"),
      details: [
        localized("remote: \(target.remote.redactedURL)"),
        localized("last seen there: \(last.short)"),
      ],
      hint: localized(
        "nothing was changed here; to merge with the new state and push yours again: "
          + "`diary sync --accept-rewritten`"))
  }
}
