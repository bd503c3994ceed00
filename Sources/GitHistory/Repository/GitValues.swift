import DiaryCore

/// Where the work tree stands.
package enum Head: Sendable, Equatable {
  /// On a branch without a commit.
  case unborn(branch: String)
  /// On a branch; its short name (`main`) and its tip.
  case branch(String, CommitID)
  /// On no branch.
  case detached(CommitID)

  /// The commit, if there is one.
  package var commit: CommitID? {
    switch self {
    case .unborn: nil
    case .branch(_, let commit), .detached(let commit): commit
    }
  }

  /// The branch's short name; `HEAD` on none.
  package var branchName: String {
    switch self {
    case .unborn(let branch), .branch(let branch, _): branch
    case .detached: "HEAD"
    }
  }
}

/// Who a commit is by.
package struct GitSignature: Sendable, Equatable {
  /// As the commit shows it.
  package let name: String
  /// Made up from user and machine when nobody set one.
  package let email: String
  /// Whether git's configuration named nobody, and user and machine stand in.
  package let isFallback: Bool

  package init(name: String, email: String, isFallback: Bool) {
    self.name = name
    self.email = email
    self.isFallback = isFallback
  }
}

/// One file's state to be kept.
package enum FileChange: Sendable, Equatable {
  /// The file holds these bytes.
  case write(EntryPath, [UInt8], executable: Bool)
  /// The file is gone, and that is meant.
  case delete(EntryPath)

  /// The file.
  package var path: EntryPath {
    switch self {
    case .write(let path, _, _), .delete(let path): path
    }
  }

  /// Whether the file is gone.
  package var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// A path that is kept on the saves ref and not yet on the branch.
package struct PendingPath: Sendable, Equatable {
  /// The file.
  package let path: EntryPath
  /// Seconds since 1970 of the first save that the branch lacks.
  package let firstSaved: Int
  /// Seconds since 1970 of the save that holds its present state.
  package let lastSaved: Int
  /// Whether what is kept is that it is gone.
  package let isDeletion: Bool
}

/// A path in a sitting's commit, before and after.
package struct CommittedChange: Sendable, Equatable {
  /// The file.
  package let path: EntryPath
  /// `nil`: the path is new.
  package let old: ObjectID?
  /// `nil`: the path was deleted.
  package let new: ObjectID?
  /// The text before, for word counts; `nil` also for what is not Markdown, and for one longer than
  /// `largestListed`.
  package let oldBytes: [UInt8]?
  /// The text now; `nil` also for what is not Markdown.
  package let newBytes: [UInt8]?
}

/// How a sitting ended.
package enum SittingOutcome: Sendable, Equatable {
  /// The branch has a new commit with these paths; `heldBack` are staged by the writer.
  case committed(CommitID, [EntryPath], heldBack: [EntryPath])
  /// There was nothing that the branch lacked, but for what the writer has staged.
  case nothing(heldBack: [EntryPath])
  /// The branch waits; everything stays on the saves ref.
  case deferred(DeferReason)
}

/// Why the branch waits.
package enum DeferReason: Sendable, Equatable {
  /// A merge, rebase, cherry-pick, revert, bisect, squash, or a conflict is under way, or a git command
  /// that may be about to move HEAD.
  case operation(String)
  /// HEAD is on no branch.
  case detached
  /// Somebody else's lock, and the seconds since 1970 at which it was made.
  case locked(path: String, since: Int)
  /// libgit2 cannot read the index; the setting or the reason.
  case indexUnreadable(String)
}
