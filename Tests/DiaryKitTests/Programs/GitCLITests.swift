import Foundation
import Testing

@testable import DiaryKit

@Suite struct GitCLITests {
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
