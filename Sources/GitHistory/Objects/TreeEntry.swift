import DiaryCore

/// A file, a link, a submodule or a folder in a tree, or a file in git's index.
package struct TreeEntry: Hashable, Sendable {
  /// The id of its blob or tree; for a submodule, of its commit.
  package var id: ObjectID
  /// The mode in git's format, in octal `100644` for a file.
  var mode: UInt32

  static let folder: UInt32 = 0o040000
  static let file: UInt32 = 0o100644
  static let executable: UInt32 = 0o100755
  static let link: UInt32 = 0o120000
  static let submodule: UInt32 = 0o160000

  /// Returns the mode as git normalizes it: `100664` of git's first years becomes `100644`.
  static func normalizedMode(_ mode: UInt32) -> UInt32 {
    switch mode & 0o170000 {
    case folder, link, submodule: mode & 0o170000
    default: mode & 0o100 == 0 ? file : executable
    }
  }

  /// True for a file that its owner may execute.
  package var isExecutable: Bool { mode == Self.executable }
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
      case .executable: Self.executable
      case .link: Self.link
      case .submodule: Self.submodule
      }
    self.init(id: id, mode: mode)
  }

  /// The kind of the entry; not valid for a folder.
  package var kind: FileKind {
    switch mode {
    case Self.executable: .executable
    case Self.link: .link
    case Self.submodule: .submodule
    default: .regular
    }
  }

  var file: TreeFile { TreeFile(id: id.bytes, kind: kind) }
}
