/// What a path of a tree holds.
package enum FileKind: Hashable, Sendable {
  case regular
  case executable
  /// A symbolic link; its bytes are where it leads.
  case link
  /// Another repository's commit.
  case submodule

  /// Whether it is a file with bytes of its own.
  package var isFile: Bool { self == .regular || self == .executable }
}

/// One file of a tree.
package struct TreeFile: Hashable, Sendable {
  /// Git's name of its bytes; of a submodule, its commit.
  package var id: [UInt8]
  /// What it is.
  package var kind: FileKind

  package init(id: [UInt8], kind: FileKind) {
    self.id = id
    self.kind = kind
  }
}

/// A path that a side of a merge holds otherwise than their common base.
package struct TreeChange: Hashable, Sendable {
  /// In the base; `nil`: the path is new.
  package var before: TreeFile?
  /// On this side; `nil`: the path is gone.
  package var after: TreeFile?

  /// A change from its ends.
  package init(before: TreeFile?, after: TreeFile?) {
    self.before = before
    self.after = after
  }
}
