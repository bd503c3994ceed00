import DiaryCore
import Foundation

/// A content-addressed commit store in memory that merges by the rules of
/// `GitRepository.mergeCommit`. All devices of a run share it.
final class SimulatedHistory {
  typealias Tree = [EntryPath: TreeFile]
  typealias ID = UInt64

  struct Commit {
    var tree: Tree
    var parents: [ID]
    var time: Int
  }

  private(set) var commits: [ID: Commit] = [:]
  /// The ancestors of each commit, including itself.
  private var ancestorSets: [ID: Set<ID>] = [:]
  /// The inputs and result of each merge in order, including merges of merge bases.
  private(set) var mergeLog: [(base: Tree, a: Tree, b: Tree, result: Tree)] = []
  /// The number of merges, and the number of merges in which both versions were kept.
  private(set) var mergeCount = 0
  private(set) var conflictCount = 0
  /// The number of merges with more than one merge base.
  private(set) var crissCrossCount = 0

  /// Stores a commit. Equal content gives the same id. `signer` identifies a signature.
  func commit(_ tree: Tree, parents: [ID], time: Int, signer: String = "") -> ID {
    var hash = ContentHash()
    for (path, file) in tree.sorted(by: { $0.key < $1.key }) {
      hash.add(path.bytes)
      hash.add(file.id)
    }
    for number in parents + [ID(bitPattern: Int64(time))] { hash.add(number) }
    hash.add(Array(signer.utf8))
    let id = hash.value
    commits[id] = Commit(tree: tree, parents: parents, time: time)
    ancestorSets[id] = parents.reduce(into: [id]) { $0.formUnion(ancestors(of: $1)) }
    return id
  }

  func tree(_ id: ID?) -> Tree { id.flatMap { commits[$0]?.tree } ?? [:] }

  func ancestors(of id: ID) -> Set<ID> { ancestorSets[id] ?? [] }

  func isAncestor(_ old: ID, of new: ID) -> Bool { ancestors(of: new).contains(old) }

  /// The best common ancestors of `commit` and any of `others`, sorted by id.
  func mergeBases(_ commit: ID, _ others: [ID]) -> [ID] {
    let common = others.reduce(into: Set<ID>()) { $0.formUnion(ancestors(of: $1)) }
      .intersection(ancestors(of: commit))
    var best = common
    for id in common { best.subtract(ancestors(of: id).subtracting([id])) }
    return best.sorted()
  }

  /// Merges two commits.
  func merge(_ one: ID, _ other: ID, signer: String) -> (id: ID, merge: TreeMerge) {
    let parents = [one, other].sorted()
    var budget = 64
    let base = baseTree(parents[0], [parents[1]], &budget)
    let (merged, merge) = mergeTrees(base: base, tree(parents[0]), tree(parents[1]))
    mergeCount += 1
    if mergeBases(parents[0], [parents[1]]).count > 1 { crissCrossCount += 1 }
    if !merge.conflictPaths.isEmpty { conflictCount += 1 }
    let time = parents.compactMap { commits[$0]?.time }.max() ?? 0
    return (commit(merged, parents: parents, time: time, signer: signer), merge)
  }

  /// The tree of the merge base. If there are several, they are merged first.
  private func baseTree(_ commit: ID, _ others: [ID], _ budget: inout Int) -> Tree {
    let bases = mergeBases(commit, others)
    guard let first = bases.first else { return [:] }
    var folded = tree(first)
    for (count, next) in bases.enumerated().dropFirst() {
      guard budget > 0 else { break }
      budget -= 1
      let base = baseTree(next, Array(bases[..<count]), &budget)
      folded = mergeTrees(base: base, folded, tree(next)).tree
    }
    return folded
  }

  /// Another merge of the same parents that `theirs` contains and the merge's history lacks.
  func equivalentMerge(of merge: ID, in theirs: ID) -> ID? {
    guard let parents = commits[merge]?.parents, parents.count > 1 else { return nil }
    return ancestors(of: theirs).subtracting(ancestors(of: merge)).sorted()
      .first { commits[$0]?.parents == parents }
  }

  static func changes(_ old: Tree, _ new: Tree) -> [EntryPath: TreeChange] {
    var found: [EntryPath: TreeChange] = [:]
    for path in Set(old.keys).union(new.keys) where old[path] != new[path] {
      found[path] = TreeChange(before: old[path], after: new[path])
    }
    return found
  }

  private func mergeTrees(
    base: Tree, _ a: Tree, _ b: Tree
  ) -> (tree: Tree, merge: TreeMerge) {
    let source = MergeSource<Never>(
      read: { TestTrees.bytes($0) }, blobID: { TestTrees.blobID($0) },
      base: { path in
        if let file = base[path] { return .file(file) }
        let folder = path.bytes + [UInt8(ascii: "/")]
        return base.keys.contains { $0.bytes.starts(with: folder) } ? .folder : .nothing
      })
    let merge = TreeMerge(
      a: Self.changes(base, a), b: Self.changes(base, b), rules: Self.rules, source: source)
    var tree = base
    for (path, outcome) in merge.paths {
      switch outcome {
      case .absent: tree[path] = nil
      case .file(let file): tree[path] = file
      case .text(let bytes, let kind):
        tree[path] = TreeFile(id: TestTrees.blobID(bytes), kind: kind)
      }
    }
    mergeLog.append((base, a, b, tree))
    return (tree, merge)
  }

  /// The rules of the app, which do not depend on the device.
  static let rules = MergeRules(
    isEntry: { $0.isMarkdown },
    day: { path, bytes in
      let zone = TimeZone(secondsFromGMT: 0) ?? .current
      return Entry(path: path, text: EntryText(bytes), settings: Settings(), zone: zone).day
    })
}

/// A 64-bit FNV-1a hash.
struct ContentHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    value = (value ^ 0x100) &* 0x100_0000_01B3
  }

  mutating func add(_ number: UInt64) {
    value = (value ^ number) &* 0x100_0000_01B3
    value ^= value >> 29
  }
}
