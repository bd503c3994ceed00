/// The state of HEAD.
package enum Head: Sendable, Equatable {
  /// On a branch without a commit.
  case unborn(branch: String)
  /// On a branch, with its short name (`main`) and its tip.
  case branch(String, CommitID)
  /// Detached, on no branch.
  case detached(CommitID)

  /// The commit, if there is one.
  package var commit: CommitID? {
    switch self {
    case .unborn: nil
    case .branch(_, let commit), .detached(let commit): commit
    }
  }

  /// The branch's short name; `HEAD` if it is detached.
  var branchName: String {
    switch self {
    case .unborn(let branch), .branch(let branch, _): branch
    case .detached: "HEAD"
    }
  }
}
