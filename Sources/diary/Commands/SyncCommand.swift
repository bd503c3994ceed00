import ArgumentParser
import DiaryCore
import DiaryKit

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "sync", abstract: "Exchange with the git remote: fetch, merge, push.",
    discussion: """
      Ends with 0 only when everything is on the remote and here. Nobody is ever asked for a \
      password: keys, agents and credential helpers are git's and ssh's own.
      """)

  @Flag(
    name: .customLong("continue"),
    help: "Finish a merge or rebase by hand that stopped at conflicts, then sync.")
  var finishing = false
  @Flag(help: "Merge with a branch that was rewritten on the remote, instead of stopping.")
  var acceptRewritten = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    if finishing { SyncReport.tell(try await journal.finishByHand(), common) }
    let outcome = try await journal.sync(acceptingRewritten: acceptRewritten)
    SaveReport.tell(outcome.save, common)
    SyncReport.tell(outcome, common)
    if !outcome.isComplete { throw ExitCode(1) }
  }
}
