import TestSupport
import DiaryCore
import Testing

/// Properties of every merge of two devices' changes.
@Suite struct TreeMergePropertyTests {
  /// Makes random changes to a small tree. Every word is typed once.
  private struct Typist {
    var random: SeededGenerator
    var wordCount = 0

    mutating func text() -> String {
      wordCount += 1
      return "word\(wordCount)x\(UInt32.random(in: 0...9, using: &random))\n"
    }

    mutating func path() -> String {
      let folders = ["", "2026/", "2026/11/", "a/", "a.md/"]
      let names = ["a.md", "b.md", "2026-11-21.md", "p.jpg", "c.yml", "2026", "a"]
      return (folders.randomElement(using: &random) ?? "")
        + (names.randomElement(using: &random) ?? "a")
    }

    private func fits(_ path: String, _ tree: TestTrees.Tree) -> Bool {
      !tree.keys.contains { $0 != path && ($0.hasPrefix(path + "/") || path.hasPrefix($0 + "/")) }
    }

    mutating func change(_ tree: inout TestTrees.Tree) {
      let some = tree.keys.sorted().randomElement(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1:
        let path = path()
        if tree[path] == nil, fits(path, tree) { tree[path] = text() + text() + text() }
      case 2, 3: if let some { tree[some, default: ""] += text() }
      case 4: if let some { tree[some] = nil }
      default:
        let path = path()
        guard let some, tree[path] == nil, let old = tree[some] else { return }
        tree[some] = nil
        if fits(path, tree) {
          tree[path] = Bool.random(using: &random) ? old : old + text()
        } else {
          tree[some] = old
        }
      }
    }
  }

  private func words(_ tree: TestTrees.Tree) -> Set<Substring> {
    Set(tree.values.flatMap { $0.split(whereSeparator: \.isWhitespace) })
  }

  private func trees(_ seed: UInt64) -> TestTrees {
    var typist = Typist(random: SeededGenerator(seed))
    var base: TestTrees.Tree = [:]
    for _ in 0..<Int.random(in: 0...12, using: &typist.random) { typist.change(&base) }
    var trees = TestTrees(base: base, a: base, b: base)
    for _ in 0..<Int.random(in: 0...8, using: &typist.random) { typist.change(&trees.a) }
    for _ in 0..<Int.random(in: 0...8, using: &typist.random) { typist.change(&trees.b) }
    return trees
  }

  private let random = SeededGenerator()
  private var seeds: [UInt64] { (0..<3_000).map { random.seed &+ $0 } }

  @Test func `swapping the sides gives the same merge`() {
    for seed in seeds {
      let trees = trees(seed)
      let (one, other) = (trees.merge(), trees.merge(swapped: true))
      #expect(one.paths == other.paths, "\(random), seed \(seed)")
      #expect(
        one.conflictPaths == other.conflictPaths && one.conflictCopies == other.conflictCopies,
        "\(random), seed \(seed)")
      #expect(
        one.newPathsOfA == other.newPathsOfB && one.newPathsOfB == other.newPathsOfA,
        "\(random), seed \(seed)"
      )
    }
  }

  @Test func `no word is lost that a user typed and no user deleted`() {
    for seed in seeds {
      let trees = trees(seed)
      let merge = trees.merge()
      let result = trees.result(merge)
      let typed = words(trees.a).union(words(trees.b)).subtracting(words(trees.base))
      let untouched = words(trees.base).intersection(words(trees.a)).intersection(words(trees.b))
      let missing = typed.union(untouched).subtracting(words(result))
      #expect(missing.isEmpty, "\(random), seed \(seed): \(trees) becomes \(result)")
      let foreign = words(result).subtracting(words(trees.a)).subtracting(words(trees.b))
      #expect(foreign.isEmpty, "\(random), seed \(seed): \(trees) becomes \(result)")
      for (path, text) in result {
        let lines = text.split(separator: "\n")
        // Two new files of one name have no base.
        let isNewTwice = trees.base[path] == nil && trees.a[path] != nil && trees.b[path] != nil
        #expect(
          isNewTwice || Set(lines).count == lines.count,
          "\(random), seed \(seed): twice in \(path)")
        let isFolder = result.keys.contains { $0.hasPrefix(path + "/") }
        #expect(!isFolder, "\(random), seed \(seed): \(path) is a file and a folder")
      }
      for (side, map) in [(trees.a, merge.newPathsOfA), (trees.b, merge.newPathsOfB)] {
        for (old, new) in map {
          let typed = words(["": side[old.text] ?? ""]).subtracting(words(trees.base))
          let there = words(["": result[new.text] ?? ""])
          #expect(typed.isSubset(of: there), "\(random), seed \(seed): \(old) is not in \(new)")
        }
      }
    }
  }

  @Test func `a merge with an unchanged side is the other side`() {
    for seed in seeds {
      var trees = trees(seed)
      trees.b = trees.base
      #expect(trees.result(trees.merge()) == trees.a, "\(random), seed \(seed)")
      trees.b = trees.a
      #expect(trees.result(trees.merge()) == trees.a, "\(random), seed \(seed)")
    }
  }
}
