/// What a path of a tree holds.
public enum FileKind: Hashable, Sendable {
  case regular
  case executable
  /// A symbolic link; its bytes are where it leads.
  case link
  /// Another repository's commit.
  case submodule

  /// Whether it is a file with bytes of its own.
  public var isFile: Bool { self == .regular || self == .executable }
}

/// One file of a tree.
public struct TreeFile: Hashable, Sendable {
  /// Git's name of its bytes; of a submodule, its commit.
  public var id: [UInt8]
  /// What it is.
  public var kind: FileKind

  /// A file from its parts.
  public init(id: [UInt8], kind: FileKind) {
    self.id = id
    self.kind = kind
  }
}

/// A path that a side of a merge holds otherwise than their common base.
public struct TreeChange: Hashable, Sendable {
  /// In the base; `nil`: the path is new.
  public var before: TreeFile?
  /// On this side; `nil`: the path is gone.
  public var after: TreeFile?

  /// A change from its ends.
  public init(before: TreeFile?, after: TreeFile?) {
    self.before = before
    self.after = after
  }
}
