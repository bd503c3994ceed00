import DiaryCore

/// A base and two changed trees in memory, with file contents as text.
struct TestTrees {
  typealias Tree = [String: String]
  var base: Tree
  var a: Tree
  var b: Tree

  /// The file of a text. The prefixes `link:`, `module:` and `run:` give its kind.
  static func file(_ text: String) -> TreeFile {
    let kinds: [(String, FileKind)] = [
      ("link:", .link), ("module:", .submodule), ("run:", .executable),
    ]
    for (mark, kind) in kinds where text.hasPrefix(mark) {
      return TreeFile(id: blobID(text.dropFirst(mark.count).utf8), kind: kind)
    }
    return TreeFile(id: blobID(text.utf8), kind: .regular)
  }

  /// An object id: a 4-byte FNV-1a hash, as a real id begins, followed by the content itself.
  static func blobID(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var sum: UInt32 = 2_166_136_261
    for byte in bytes { sum = (sum ^ UInt32(byte)) &* 16_777_619 }
    return withUnsafeBytes(of: sum.bigEndian) { Array($0) } + bytes
  }

  static func bytes(_ id: [UInt8]) -> [UInt8] { Array(id.dropFirst(4)) }

  static func shortID(_ text: String) -> String {
    blobID(text.utf8).prefix(4).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  static func changes(_ old: Tree, _ new: Tree) -> [EntryPath: TreeChange] {
    var found: [EntryPath: TreeChange] = [:]
    for path in Set(old.keys).union(new.keys) where old[path] != new[path] {
      guard let name = EntryPath(path) else { continue }
      found[name] = TreeChange(before: old[path].map(file), after: new[path].map(file))
    }
    return found
  }

  func merge(swapped: Bool = false) -> TreeMerge {
    let (one, other) = swapped ? (b, a) : (a, b)
    let base = self.base
    return TreeMerge(
      a: Self.changes(base, one), b: Self.changes(base, other), rules: Self.rules,
      source: MergeSource<Never>(
        read: { Self.bytes($0) }, blobID: { Self.blobID($0) },
        base: { path in
          if let text = base[path.text] { return .file(Self.file(text)) }
          let isFolder = base.keys.contains { $0.hasPrefix(path.text + "/") }
          return isFolder ? .folder : .nothing
        }))
  }

  /// The tree after the merge.
  func result(_ merge: TreeMerge) -> Tree {
    var tree = base
    for (path, outcome) in merge.paths {
      switch outcome {
      case .absent: tree[path.text] = nil
      case .text(let bytes, let kind): tree[path.text] = Self.text(bytes, kind)
      case .file(let file): tree[path.text] = Self.text(Self.bytes(file.id), file.kind)
      }
    }
    return tree
  }

  private static func text(_ bytes: [UInt8], _ kind: FileKind) -> String {
    let mark =
      switch kind {
      case .regular: ""
      case .executable: "run:"
      case .link: "link:"
      case .submodule: "module:"
      }
    return mark + String(decoding: bytes, as: UTF8.self)
  }

  static let rules = MergeRules(
    isEntry: { $0.isMarkdown && !$0.isHidden }, day: { path, _ in path.impliedDay })
}
