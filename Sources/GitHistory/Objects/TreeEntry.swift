import DiaryCore
import Glibc

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

extension TreeEntry {
  /// Returns the entry of that name in a tree's bytes.
  static func find(_ name: [UInt8], in tree: UnsafeBufferPointer<UInt8>) -> TreeEntry? {
    name.withUnsafeBufferPointer { name in
      firstMatch(in: tree) { other, entry in
        guard other.count == name.count, let one = other.baseAddress, let two = name.baseAddress,
          memcmp(one, two, other.count) == 0
        else { return nil }
        return entry()
      }
    }
  }

  /// Returns every entry of a tree, in git's order.
  static func all(in tree: UnsafeBufferPointer<UInt8>) -> [(name: [UInt8], entry: TreeEntry)] {
    var found: [(name: [UInt8], entry: TreeEntry)] = []
    let _: Bool? = firstMatch(in: tree) { name, entry in
      found.append((Array(name), entry()))
      return nil
    }
    return found
  }

  /// Iterates over a tree's `MODE NAME\0ID` until `body` returns a value.
  private static func firstMatch<Value>(
    in tree: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>, () -> TreeEntry) -> Value?
  ) -> Value? {
    guard let start = tree.baseAddress else { return nil }
    var at = 0
    while at < tree.count {
      var mode: UInt32 = 0
      while at < tree.count, tree[at] != UInt8(ascii: " ") {
        mode = mode << 3 | UInt32(tree[at] & 7)
        at += 1
      }
      guard at + 1 < tree.count, let nul = memchr(start + at, 0, tree.count - at) else {
        return nil
      }
      let end = UnsafePointer(nul.assumingMemoryBound(to: UInt8.self)) - start
      guard end + 20 < tree.count else { return nil }
      let name = UnsafeBufferPointer(rebasing: tree[(at + 1)..<end])
      let value = body(name) {
        TreeEntry(id: ObjectID(UnsafeRawPointer(start + end + 1)), mode: mode)
      }
      if let value { return value }
      at = end + 21
    }
    return nil
  }
}
