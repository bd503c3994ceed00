import DiaryCore

/// Checks commands: each byte creates, changes, moves or deletes a file on one of three sides.
func treesComplaint(_ input: [UInt8]) -> String? {
  var trees = Trees()
  for order in stride(from: 0, to: min(input.count - 1, 120), by: 2) {
    trees.apply(input[order], input[order + 1])
  }
  let (one, other) = (trees.merge(swapped: false), trees.merge(swapped: true))
  if one.paths != other.paths || one.conflictPaths != other.conflictPaths
    || one.conflictCopies != other.conflictCopies
  {
    return "not symmetric"
  }
  if one.newPathsOfA != other.newPathsOfB || one.newPathsOfB != other.newPathsOfA {
    return "origins are not symmetric"
  }
  let result = trees.result(one)
  for path in result.keys {
    var folder = path.folder
    while let above = folder {
      if result[above] != nil { return "\(above) is a file and a folder" }
      folder = above.folder
    }
  }
  for (side, map) in [(trees.a, one.newPathsOfA), (trees.b, one.newPathsOfB)] {
    for (path, file) in side where trees.base[path] != file {
      guard let now = map[path] else { return "\(path) is nowhere" }
      if result[now] == nil { return "\(path) should be \(now)" }
    }
  }
  return nil
}

private struct Trees {
  typealias Tree = [EntryPath: TreeFile]
  var base: Tree = [:]
  var a: Tree = [:]
  var b: Tree = [:]

  private static let folders = ["", "2026/", "2026/11/", "a/", "a.md/", "INDEX.md/"]
  private static let names = [
    "a.md", "b.md", "2026-11-21.md", "2026-11-21-long-name.md", "p.jpg", "c.yml", "2026", "a",
    "INDEX.md", "a-1234abcd.md",
  ]

  mutating func apply(_ order: UInt8, _ detail: UInt8) {
    let path = Self.folders[Int(detail) % 6] + Self.names[Int(detail) / 6 % 10]
    guard let path = EntryPath(path) else { return }
    switch order % 4 {
    // Commands before the sides differ change their common base.
    case 0: change(&base, order / 4, path)
    case 1: change(&a, order / 4, path)
    case 2: change(&b, order / 4, path)
    default: (a, b) = (base, base)
    }
  }

  private func change(_ tree: inout Tree, _ order: UInt8, _ path: EntryPath) {
    let kinds: [FileKind] = [.regular, .regular, .executable, .link, .submodule]
    let sorted = tree.keys.sorted()
    switch order % 4 {
    case 0, 1:
      guard fits(path, tree) else { return }
      let text = (0...(order / 4 % 4)).map { "word\(order)x\($0)\n" }.joined()
      tree[path] = TreeFile(id: Self.id(text), kind: kinds[Int(order) / 4 % 5])
    case 2: if let old = sorted[at: Int(order) / 4] { tree[old] = nil }
    default:
      guard let old = sorted[at: Int(order) / 4], let file = tree.removeValue(forKey: old) else {
        return
      }
      tree[fits(path, tree) && tree[path] == nil ? path : old] = file
    }
  }

  private func fits(_ path: EntryPath, _ tree: Tree) -> Bool {
    !tree.keys.contains { $0 != path && ($0.isInside(path) || path.isInside($0)) }
  }

  /// An id with a checksum first, so that few ids have the same prefix.
  private static func id(_ text: some Sequence<UInt8>) -> [UInt8] {
    var sum: UInt32 = 2_166_136_261
    for byte in text { sum = (sum ^ UInt32(byte)) &* 16_777_619 }
    return withUnsafeBytes(of: sum.bigEndian) { Array($0) } + text
  }

  private static func id(_ text: String) -> [UInt8] { id(text.utf8) }

  private static func changes(_ old: Tree, _ new: Tree) -> [EntryPath: TreeChange] {
    var found: [EntryPath: TreeChange] = [:]
    for path in Set(old.keys).union(new.keys) where old[path] != new[path] {
      found[path] = TreeChange(before: old[path], after: new[path])
    }
    return found
  }

  func merge(swapped: Bool) -> TreeMerge {
    let (one, other) = swapped ? (b, a) : (a, b)
    let base = base
    return TreeMerge(
      a: Self.changes(base, one), b: Self.changes(base, other),
      rules: MergeRules(
        isEntry: { $0.isMarkdown && !$0.isHidden }, day: { path, _ in path.impliedDay }),
      source: MergeSource<Never>(
        read: { Array($0.dropFirst(4)) }, blobID: { Self.id($0) },
        base: { path in
          if let file = base[path] { return .file(file) }
          return base.keys.contains { $0.isInside(path) } ? .folder : .nothing
        }))
  }

  func result(_ merge: TreeMerge) -> Tree {
    var tree = base
    for (path, outcome) in merge.paths {
      switch outcome {
      case .absent: tree[path] = nil
      case .text(let bytes, let kind): tree[path] = TreeFile(id: Self.id(bytes), kind: kind)
      case .file(let file): tree[path] = file
      }
    }
    return tree
  }
}

extension [EntryPath] {
  fileprivate subscript(at place: Int) -> EntryPath? { isEmpty ? nil : self[place % count] }
}
