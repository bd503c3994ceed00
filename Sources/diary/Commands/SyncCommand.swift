import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct SyncCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "sync", abstract: localized("Sync with the git remote: fetch, merge, push."),
    discussion: localized(
      """
      The exit code is 0 only when both sides are equal. Diary never asks for a password: set up \
      keys, agents or credential helpers in git and ssh.
      """))

  @Flag(help: ArgumentHelp(localized("Merge even if the branch was rewritten on the remote.")))
  var acceptRewritten = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    // git would go on, and keep a sealed remote from the next sync.
    let handling = Interruptible.onSignal { number in
      ChildPrograms.endAll()
      Interruption(number: number).endProcess()
    }
    defer { withExtendedLifetime(handling) {} }
    let outcome = try await journal.remote.sync(acceptingRewritten: acceptRewritten)
    SaveReport.print(outcome.save, common)
    SyncReport.print(outcome, common)
    if !outcome.isComplete { throw ExitCode(1) }
  }
}
