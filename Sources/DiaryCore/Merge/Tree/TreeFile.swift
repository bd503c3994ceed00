/// The kind of a file in a tree.
package enum FileKind: Hashable, Sendable {
  case regular
  case executable
  /// A symbolic link; its bytes are the target.
  case link
  /// A commit of another repository.
  case submodule

  /// True if it is a file with its own bytes.
  package var isFile: Bool { self == .regular || self == .executable }
}

/// A file of a tree.
package struct TreeFile: Hashable, Sendable {
  /// The id of the blob; for a submodule, the id of the commit.
  package var id: [UInt8]
  package var kind: FileKind

  package init(id: [UInt8], kind: FileKind) {
    self.id = id
    self.kind = kind
  }
}

/// The change of one path between the common base and a side of a merge.
package struct TreeChange: Hashable, Sendable {
  /// The file in the base; `nil` if the path is new.
  package var before: TreeFile?
  /// The file on this side; `nil` if the path was removed.
  package var after: TreeFile?

  package init(before: TreeFile?, after: TreeFile?) {
    self.before = before
    self.after = after
  }
}
