import TestSupport
import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import DiaryCore

/// Comparison with `git merge-file`: if neither git nor Diary finds a conflict, both results have
/// the same words. git merges by lines and can join lines of different versions.
struct EntryMergeGitTests {
  private struct Sample {
    let base: String
    let a: String
    let b: String
  }

  @Test(.timeLimit(.minutes(SeededGenerator.rounds(5))))
  func `where git finds no conflict the words are the same`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("entry-merge-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var samples: [Sample] = []
    var random = SeededGenerator()
    for round in 0..<SeededGenerator.rounds(200) {
      let sample = sample(random.next())
      samples.append(sample)
      let place = folder.appendingPathComponent("\(round)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for (name, text) in [("base", sample.base), ("a", sample.a), ("b", sample.b)] {
        try Data(text.utf8).write(to: place.appendingPathComponent(name))
      }
    }
    try await mergeWithGit(in: folder, rounds: samples.count)
    var (compared, reviewed) = (0, 0)
    for (round, sample) in samples.enumerated() {
      let place = folder.appendingPathComponent("\(round)")
      let status = try String(contentsOf: place.appendingPathComponent("status"), encoding: .utf8)
      guard status == "0\n" else { continue }
      compared += 1
      let git = try Data(contentsOf: place.appendingPathComponent("merged"))
      let merge = EntryMerge(
        base: Array(sample.base.utf8), Array(sample.a.utf8), Array(sample.b.utf8))
      if merge.hasConflict {
        reviewed += 1
        continue
      }
      #expect(
        words(merge.bytes).sorted() == words(Array(git)).sorted(),
        "\(random), round \(round): \(sample)")
    }
    #expect(compared > samples.count / 4)
    #expect(reviewed <= compared / 3)
  }

  /// Merges all samples in one shell, because starting git takes most of the time.
  private func mergeWithGit(in folder: URL, rounds: Int) async throws {
    let script = """
      for place in */; do
        git merge-file -p "$place/a" "$place/base" "$place/b" > "$place/merged" 2> /dev/null
        echo $? > "$place/status"
      done
      """
    let result = try await run(
      .name("sh"), arguments: ["-c", script],
      environment: .inherit.updating([
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "HOME": folder.path,
      ]),
      workingDirectory: FilePath(folder.path), output: .discarded, error: .discarded)
    #expect(result.terminationStatus.isSuccess)
  }

  /// Paragraphs, lines and list items of unique words. Each side edits a few places, so that
  /// only one result is correct.
  private func sample(_ seed: UInt64) -> Sample {
    var dice = SeededGenerator(seed)
    var base: [String] = []
    for _ in 0..<(2 + dice.roll(6)) {
      let opening = dice.one(["", "", "- ", "# ", "> "])
      for _ in 0..<(1 + dice.roll(4)) { base.append(opening + line(&dice)) }
      base.append("")
    }
    let (a, b) = (edited(base, &dice), edited(base, &dice))
    func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
    return Sample(base: text(base), a: text(a), b: text(b))
  }

  private func line(_ dice: inout SeededGenerator) -> String {
    (0..<(1 + dice.roll(9))).map { _ in dice.uniqueWord() }.joined(separator: " ")
  }

  private func edited(_ lines: [String], _ dice: inout SeededGenerator) -> [String] {
    var lines = lines
    for _ in 0..<(1 + dice.roll(3)) {
      let at = dice.roll(lines.count)
      switch dice.roll(5) {
      case 0: lines.insert(line(&dice), at: at)
      case 1: lines.insert(contentsOf: [line(&dice), ""], at: at)
      case 2: lines.remove(at: at)
      case 3: lines[at] = line(&dice)
      default: lines[at] += " " + dice.uniqueWord()
      }
    }
    return lines
  }

  private func words(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
  }
}
