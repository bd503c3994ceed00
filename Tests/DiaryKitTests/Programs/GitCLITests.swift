import Foundation
import Testing

@testable import DiaryKit

@Suite struct GitCLITests {
  @Test(arguments: [
    (["LANG": "ko_KR.UTF-8", "LANGUAGE": "ko"], ["LANG=ko_KR.UTF-8", "LC_MESSAGES=C"]),
    (
      ["LC_ALL": "ko_KR.UTF-8", "LC_CTYPE": "C", "LANG": "C"],
      ["LANG=ko_KR.UTF-8", "LC_MESSAGES=C"]
    ),
    (
      ["LC_ALL": "", "LC_CTYPE": "ko_KR.UTF-8", "LC_MESSAGES": "ko_KR.UTF-8"],
      ["LC_CTYPE=ko_KR.UTF-8", "LC_MESSAGES=C"]
    ),
  ])
  func `git's messages are English, and hooks have the user's character set`(
    _ set: [String: String], _ expected: [String]
  ) async throws {
    let world = try await TestJournal()
    let none = ["LANG": "", "LC_ALL": "", "LC_CTYPE": "", "LC_MESSAGES": "", "LANGUAGE": ""]
    let git = try world.journal(none.merging(set) { $1 }).git
    let result = try await git.run(["-c", "alias.variables=!env", "variables"])
    let variables = String(decoding: result.output, as: UTF8.self).split(separator: "\n")
      .map(String.init).filter { $0.hasPrefix("LANG") || $0.hasPrefix("LC_") }
    #expect(variables.filter { !$0.hasSuffix("=") }.sorted() == expected.sorted())
  }

  /// With `GIT_COMMON_DIR` alone, git would read branches and objects of another repository.
  @Test func `variables that name another repository are not passed to git`() async throws {
    let world = try await TestJournal()
    let elsewhere = GitCLI.localVariables.map { ($0, "/nowhere") }
    let journal = try world.journal(Dictionary(uniqueKeysWithValues: elsewhere))
    let head = try await journal.git.run(["rev-parse", "HEAD"])
    #expect(head.status == 0, "\(head.errors)")

    try world.write("no index", ".git/index")
    try world.write("two\n", "a.md")
    let outcome = try await journal.save()
    #expect(outcome.indexRepairMessage != nil && outcome.commit != nil, "\(outcome)")
    #expect(try await world.git("status", "--porcelain") == "")
  }
}
