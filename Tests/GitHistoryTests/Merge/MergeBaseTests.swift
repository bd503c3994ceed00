import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import GitHistory

@Suite struct MergeBaseTests {
  /// Random histories with wrong clocks: Diary relates any two commits as git does.
  @Test func `relations of commits equal git's despite wrong clocks`() async throws {
    let box = try await TestRepository()
    var dice = SeededGenerator()
    func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }
    let tree = try await box.git("hash-object", "-t", "tree", "-w", "/dev/null").trimmed
    var commits: [CommitID] = []
    for number in 0..<14 {
      var arguments = ["commit-tree", tree, "-m", "\(number)"]
      let count = commits.isEmpty || random(8) == 0 ? 0 : 1 + random(2)
      for parent in Set((0..<count).map { _ in max(0, commits.count - 1 - random(5)) }).sorted() {
        arguments += ["-p", "\(commits[parent])"]
      }
      let made = try await box.git(arguments, committed: 1_500_000_000 + random(1_000_000))
      commits.append(try #require(ObjectID(made.trimmed)))
    }
    let repository = try box.open()
    for _ in 0..<24 {
      let (one, other) = (commits[random(commits.count)], commits[random(commits.count)])
      let counts = try await box.git("rev-list", "--left-right", "--count", "\(one)...\(other)")
      let numbers = counts.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      let bases = try? await box.git("merge-base", "--all", "\(one)", "\(other)")
      let isRelated = bases != nil
      #expect(
        try await repository.mergeBases(one, [other]).map { "\($0)" }
          == (bases ?? "").split(separator: "\n").map(String.init).sorted(), "\(dice)")
      let expected: CommitRelation =
        switch (numbers[0], numbers[1]) {
        case (0, 0): .same
        case (let ahead, 0): .ahead(ahead)
        case (0, let behind): .behind(behind)
        case (let ahead, let behind):
          isRelated ? .diverged(ahead: ahead, behind: behind) : .unrelated
        }
      #expect(try await repository.relation(of: one, to: other) == expected, "\(dice)")
      #expect(
        try await repository.isAncestor(one, of: other) == (numbers[0] == 0), "\(dice)")
    }
  }
}
