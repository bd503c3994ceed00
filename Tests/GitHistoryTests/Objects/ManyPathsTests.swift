import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import GitHistory

/// The lookup of many paths in a tree at once.
@Suite struct ManyPathsTests {
  @Test func `a lookup of many files returns the same as single lookups`() async throws {
    let box = try await TestRepository()
    for name in ["a.md", "x/a.md", "x/b.md", "x/y/a.md", "x.md", "x-1/a.md", "z/q"] {
      try box.write(name, name)
    }
    try await box.git("add", "-A")
    try await box.git("commit", "-qm", "one")
    try box.write("x/b.md", "other")
    try await box.git("commit", "-qam", "two")
    let repository = try box.open()
    let commits = try await box.git("rev-list", "HEAD").split(separator: "\n")
    try await repository.expectSame(commits.map { try #require(ObjectID(String($0))) })
  }

  @Test func `a damaged tree is an error and not a smaller folder`() throws {
    let id = [UInt8](repeating: 7, count: 20)
    let tree = Array("100644 a.md\0".utf8) + id + Array("100664 b.md\0".utf8) + id
    #expect(try TreeItem.all(in: tree).map(\.mode) == [TreeEntry.file, TreeEntry.file])
    let found = try tree.withUnsafeBufferPointer { try TreeEntry.find(Array("b.md".utf8), in: $0) }
    #expect(found == TreeEntry(id: ObjectID(twenty: id[...]), mode: TreeEntry.file))
    for count in 1..<tree.count where count != tree.count / 2 {
      #expect(throws: GitError.self) { try TreeItem.all(in: Array(tree[..<count])) }
    }
  }

  /// libgit2 unpacks a tree of more than a hundred names at each lookup.
  @Test func `a lookup in a large folder costs no more per file`() async throws {
    var folders: [(box: TestRepository, repository: GitRepository, paths: [EntryPath])] = []
    for count in [200, 1600] {
      let box = try await TestRepository()
      let paths = try (0..<count).map { try #require(EntryPath("2026/a-name-of-\($0).md")) }
      for path in paths { try box.write(path, Array("x".utf8)) }
      try await box.git("add", "-A")
      try await box.git("commit", "-qm", "all")
      folders.append((box, try box.open(), paths))
    }
    // In turns, so that a busy moment of the machine meets both.
    var seconds = [Duration](repeating: .seconds(1000), count: 2)
    for _ in 1...20 {
      for (index, folder) in folders.enumerated() {
        let clock = ContinuousClock()
        let begun = clock.now
        let found = try await folder.repository.trackedPaths(among: folder.paths)
        seconds[index] = min(seconds[index], clock.now - begun)
        #expect(found.count == folder.paths.count)
      }
    }
    // Eight times as many files; quadratic cost would be sixty-four times as much.
    #expect(seconds[1] < seconds[0] * 20, "\(seconds)")
  }
}

extension GitRepository {
  /// Checks every path in each of the trees, in sorted and in random order.
  fileprivate func expectSame(_ commits: [CommitID]) throws {
    let trees = try commits.map { try tree(of: $0) } + [nil]
    let names = [
      "a.md", "x", "x/a.md", "x/b.md", "x/c.md", "x/y", "x/y/a.md", "x.md", "x.md/a.md", "x-1/a.md",
      "z/q", "z/q/r", "w/a.md",
    ]
    let folders = TreeCache()
    var random = SeededGenerator()
    for round in 0..<6 {
      for name in round == 0 ? names : names.shuffled(using: &random) {
        let path = try #require(EntryPath(name))
        for tree in trees {
          let alone = try entry(at: path, in: tree)
          let expected = alone?.isFolder == true ? nil : alone
          #expect(try fileEntry(at: path, in: tree, folders) == expected, "\(random): \(name)")
        }
      }
    }
  }
}
