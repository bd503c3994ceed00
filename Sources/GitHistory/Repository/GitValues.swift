import DiaryCore

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

/// The author of a commit.
package struct GitSignature: Sendable, Equatable {
  /// The name in the commit.
  package let name: String
  /// The email address; made from user and machine if none is configured.
  package let email: String

  package init(name: String, email: String) {
    self.name = name
    self.email = email
  }
}

/// The state of one file that is to be saved.
package enum FileChange: Sendable, Equatable {
  /// The file has these bytes.
  case write(EntryPath, [UInt8], executable: Bool)
  /// The file was deleted on purpose.
  case delete(EntryPath)

  package var path: EntryPath {
    switch self {
    case .write(let path, _, _), .delete(let path): path
    }
  }

  /// True if the file was deleted.
  package var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// A path that is saved on the saves ref and not yet committed to the branch.
package struct PendingPath: Sendable, Equatable {
  package let path: EntryPath
  /// True if the saved state is a deletion.
  package let isDeletion: Bool
}

/// A path in a sitting's commit, before and after.
package struct CommittedChange: Sendable, Equatable {
  package let path: EntryPath
  /// `nil` if the path is new.
  package let old: ObjectID?
  /// `nil` if the path was deleted.
  package let new: ObjectID?
  /// The text before, for word counts; `nil` also for files that are not Markdown or are larger
  /// than `maxEntryBytes`.
  package let oldBytes: [UInt8]?
  /// The text after; `nil` also for files that are not Markdown.
  package let newBytes: [UInt8]?
}

/// The result of a sitting.
package enum SittingOutcome: Sendable, Equatable {
  /// The branch has a new commit with these paths; the user has staged those in `heldBack`.
  case committed(CommitID, [EntryPath], heldBack: [EntryPath])
  /// The branch lacked no changes, except for those that the user has staged.
  case nothing(heldBack: [EntryPath])
  /// The commit is deferred; everything stays on the saves ref.
  case deferred(DeferReason)
}

/// The reason why a commit is deferred.
package enum DeferReason: Sendable, Hashable, Codable {
  /// A merge, rebase, cherry-pick, revert, bisect, squash or conflict is in progress, or a git
  /// command that may be about to move HEAD.
  case operation(String)
  /// HEAD is on no branch.
  case detached
  /// The path of another process's lock.
  case locked(String)
  /// libgit2 cannot read the index, because of this setting or reason.
  case indexUnreadable(String)
}
