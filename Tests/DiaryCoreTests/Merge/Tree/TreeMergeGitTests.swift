import DiaryCore
import TestSupport
import Foundation
import Subprocess
import SystemPackage
import Testing

/// Comparison with `git merge`: if git finds no conflict and nothing was renamed, the merged trees
/// contain the same files with the same words. Where Diary keeps both versions of a sentence that git
/// joins from two lines, all words of git's merge are there.
struct TreeMergeGitTests {
  @Test(.timeLimit(.minutes(SeededGenerator.rounds(5))))
  func `a folder that git merges without conflict has the same words`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("tree-merge-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var samples: [TestTrees] = []
    var random = SeededGenerator()
    for round in 0..<SeededGenerator.rounds(30) {
      samples.append(trees(random.next()))
      for (name, tree) in [
        ("base", samples[round].base), ("a", samples[round].a),
        ("b", samples[round].b),
      ] {
        try write(tree, to: folder.appendingPathComponent("\(round)/\(name)"))
      }
    }
    try await mergeWithGit(in: folder)
    var (compared, reviewed) = (0, 0)
    for (round, trees) in samples.enumerated() {
      let place = folder.appendingPathComponent("\(round)")
      let status = try String(contentsOf: place.appendingPathComponent("status"), encoding: .utf8)
      guard status == "0\n" else { continue }
      compared += 1
      let merge = trees.merge()
      let merged = trees.result(merge)
      let git = try read(place.appendingPathComponent("repository"), merged.keys.sorted())
      let files = try String(contentsOf: place.appendingPathComponent("files"), encoding: .utf8)
        .split(separator: "\n").map(String.init)
      let note: Comment = "\(random), round \(round): \(trees)"
      #expect(files.sorted() == merged.keys.sorted(), note)
      reviewed += merge.conflictPaths.isEmpty ? 0 : 1
      for (path, text) in git {
        let (theirs, ours) = (words(text), words(merged[path] ?? ""))
        let isReviewed = merge.conflictPaths.contains { $0.text == path }
        #expect(isReviewed ? Set(ours).isSuperset(of: theirs) : ours == theirs, note)
      }
    }
    #expect(compared > samples.count / 4)
    #expect(reviewed <= compared / 3, "\(random)")
  }

  /// Merges all samples in one shell, because starting git takes most of the time.
  private func mergeWithGit(in folder: URL) async throws {
    let script = """
      fill() { git rm -rfq --ignore-unmatch . > /dev/null; cp -R "../$1/." .; git add -A
        git commit -q --allow-empty -m "$1"; }
      for place in */; do (
        git init -q -b main "$place/repository"; cd "$place/repository"
        fill base; git branch b; fill a; git checkout -q b; fill b; git checkout -q main
        git -c merge.renames=false merge -q -m both b > /dev/null 2>&1
        echo $? > ../status; git ls-files > ../files
      ); done
      """
    let result = try await run(
      .name("sh"), arguments: ["-c", script],
      environment: .inherit.updating([
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": folder.path,
        "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org", "GIT_COMMITTER_NAME": "A",
        "GIT_COMMITTER_EMAIL": "a@example.org",
      ]),
      workingDirectory: FilePath(folder.path), output: .discarded, error: .discarded)
    #expect(result.terminationStatus.isSuccess)
  }

  private func write(_ tree: TestTrees.Tree, to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (path, text) in tree {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  private func read(_ folder: URL, _ paths: [String]) throws -> TestTrees.Tree {
    var tree: TestTrees.Tree = [:]
    for path in paths {
      let bytes = try Data(contentsOf: folder.appendingPathComponent(path))
      tree[path] = String(decoding: bytes, as: UTF8.self)
    }
    return tree
  }

  /// Entries and settings. Each side edits, deletes and creates some of them; none is renamed.
  private func trees(_ seed: UInt64) -> TestTrees {
    var dice = SeededGenerator(seed)
    var base: TestTrees.Tree = [:]
    let names = ["2026/11/2026-11-20.md", "walk.md", "old/lake.md", ".diary/config.yml"]
    for name in names { base[name] = text(&dice) }
    var sides = [base, base]
    for side in sides.indices {
      for name in names where dice.roll(3) == 0 {
        if dice.roll(5) == 0 {
          sides[side][name] = nil
        } else {
          sides[side][name] = edited(base[name] ?? "", &dice)
        }
      }
      if dice.roll(2) == 0 { sides[side]["new-\(side).md"] = text(&dice) }
    }
    return TestTrees(base: base, a: sides[0], b: sides[1])
  }

  private func line(_ dice: inout SeededGenerator) -> String {
    (0..<(1 + dice.roll(6))).map { _ in dice.uniqueWord() }.joined(separator: " ")
  }

  private func text(_ dice: inout SeededGenerator) -> String {
    (0..<(4 + dice.roll(8))).map { _ in line(&dice) + "\n" }.joined()
  }

  private func edited(_ text: String, _ dice: inout SeededGenerator) -> String {
    var lines = text.split(separator: "\n").map(String.init)
    let at = dice.roll(lines.count)
    switch dice.roll(3) {
    case 0: lines.insert(line(&dice), at: at)
    case 1: lines[at] += " " + dice.uniqueWord()
    default: lines.remove(at: at)
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func words(_ text: String) -> [Substring] { text.split(whereSeparator: \.isWhitespace) }
}
