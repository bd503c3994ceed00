import DiaryCore

/// Where the work tree stands.
public enum Head: Sendable, Equatable {
  /// On a branch without a commit.
  case unborn(branch: String)
  /// On a branch; its short name (`main`) and its tip.
  case branch(String, CommitID)
  /// On no branch.
  case detached(CommitID)

  /// The commit, if there is one.
  public var commit: CommitID? {
    switch self {
    case .unborn: nil
    case .branch(_, let commit), .detached(let commit): commit
    }
  }

  /// The branch's short name; `HEAD` on none.
  public var branchName: String {
    switch self {
    case .unborn(let branch), .branch(let branch, _): branch
    case .detached: "HEAD"
    }
  }
}

/// Who a commit is by.
public struct GitSignature: Sendable, Equatable {
  /// As the commit shows it.
  public let name: String
  /// Made up from user and machine when nobody set one.
  public let email: String
  /// Whether git's configuration named nobody, and user and machine stand in.
  public let isFallback: Bool

  /// A signature from its parts.
  public init(name: String, email: String, isFallback: Bool) {
    self.name = name
    self.email = email
    self.isFallback = isFallback
  }
}

/// One file's state to be kept.
public enum FileChange: Sendable, Equatable {
  /// The file holds these bytes.
  case write(EntryPath, [UInt8], executable: Bool)
  /// The file is gone, and that is meant.
  case delete(EntryPath)

  /// The file.
  public var path: EntryPath {
    switch self {
    case .write(let path, _, _), .delete(let path): path
    }
  }

  /// Whether the file is gone.
  public var isDeletion: Bool { if case .delete = self { true } else { false } }
}

/// A working file as it was read.
public struct FileContent: Sendable, Equatable {
  /// As the disk holds them, before git converts line ends.
  public var bytes: [UInt8]
  /// What the file looked like when it was read.
  public var stamp: FileStamp
  /// Whether its owner may run it.
  public var executable: Bool

  /// What was read, and what the file looked like then.
  public init(bytes: [UInt8], stamp: FileStamp, executable: Bool) {
    self.bytes = bytes
    self.stamp = stamp
    self.executable = executable
  }
}

/// A path that is kept on the saves ref and not yet on the branch.
public struct PendingPath: Sendable, Equatable {
  /// The file.
  public let path: EntryPath
  /// Seconds since 1970 of the first save that the branch lacks.
  public let firstSaved: Int
  /// Seconds since 1970 of the save that holds its present state.
  public let lastSaved: Int
  /// Whether what is kept is that it is gone.
  public let isDeletion: Bool
}

/// A path in a sitting's commit, before and after.
public struct CommittedChange: Sendable, Equatable {
  /// The file.
  public let path: EntryPath
  /// `nil`: the path is new.
  public let old: ObjectID?
  /// `nil`: the path was deleted.
  public let new: ObjectID?
  /// The text before, for word counts; `nil` also for what is not Markdown.
  public let oldBytes: [UInt8]?
  /// The text now; `nil` also for what is not Markdown.
  public let newBytes: [UInt8]?
}

/// How a sitting ended.
public enum SittingOutcome: Sendable, Equatable {
  /// The branch has a new commit with these paths; `heldBack` are staged by the writer.
  case committed(CommitID, [EntryPath], heldBack: [EntryPath])
  /// There was nothing that the branch lacked, but for what the writer has staged.
  case nothing(heldBack: [EntryPath])
  /// The branch waits; everything stays on the saves ref.
  case waiting(WaitReason)
}

/// Why the branch waits.
public enum WaitReason: Sendable, Equatable {
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

extension WaitReason: CustomStringConvertible {
  /// A clause for people: "a merge is under way".
  public var description: String {
    switch self {
    case .operation("commit"): "a git commit of yours waits for its message"
    case .operation("conflict"): "some files are unmerged"
    case .operation("am"): "git am is under way"
    case .operation("sequencer"): "a series of picks is under way"
    case .operation("squash"): "a squash merge waits for its commit"
    case .operation(let operation): "a \(operation) is under way"
    case .detached: "HEAD is on no branch"
    case .locked(let path, _): "another program holds \(path)"
    case .indexUnreadable(let reason): "Diary cannot write git's index: \(reason)"
    }
  }
}

/// A blob in a tree or an index.
struct TreeEntry: Hashable, Sendable {
  var id: ObjectID
  var mode: UInt32

  static let folder: UInt32 = 0o040000
  static let file: UInt32 = 0o100644
  static let program: UInt32 = 0o100755
  static let link: UInt32 = 0o120000
  static let submodule: UInt32 = 0o160000

  var isFolder: Bool { mode == Self.folder }
  var isRegular: Bool { mode & 0o170000 == 0o100000 }
}

extension TreeEntry {
  init(_ file: TreeFile) throws(GitError) {
    guard let id = ObjectID(bytes: file.id) else {
      throw GitError("read", "a tree", .damaged, "an object's name has not twenty bytes")
    }
    self.init(id: id, kind: file.kind)
  }

  init(id: ObjectID, kind: FileKind) {
    let mode =
      switch kind {
      case .regular: Self.file
      case .executable: Self.program
      case .link: Self.link
      case .submodule: Self.submodule
      }
    self.init(id: id, mode: mode)
  }

  var kind: FileKind {
    switch mode {
    case Self.program: .executable
    case Self.link: .link
    case Self.submodule: .submodule
    default: .regular
    }
  }

  var file: TreeFile { TreeFile(id: id.bytes, kind: kind) }
}
