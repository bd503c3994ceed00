import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "demo", abstract: localized("Try Diary on a throw-away journal of forty entries."),
    discussion: localized(
      """
      It is made in a temporary folder, and at the end you are asked whether to remove it. Your own \
      journal and settings are neither read nor changed, and nothing uses the network.
      """))

  @Flag(help: ArgumentHelp(localized("Open it in the browser.")))
  var web = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if common.hasJournalOption {
      throw ValidationError(localized("the demo has a journal of its own"))
    }
  }

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let demo = try await Interruptible.run { try await DemoJournal.create(environment) }
    Console.print(localized("Journal: \(Console.escapedOnTerminal(demo.root))"))
    common.printNotice(
      paragraph: localized(
        "A year of somebody's life, in 40 entries. Your own journal and settings stay as they are.")
    )
    common.printNotice("\n" + localized("Five things to try:") + "\n\n" + suggestions(demo) + "\n")
    if web {
      let signals = Interruptible.onSignal { _ in }
      _ = try await demo.openPage(environment)
      withExtendedLifetime(signals) {}
      // Below the `^C` of the terminal.
      common.printNotice("")
    }
    try offerRemoval(of: demo)
  }

  /// The commands to try, with what each shows.
  private func suggestions(_ demo: DemoJournal) -> String {
    let rows = [
      ("diary", localized("the list; ± marks what two devices changed")),
      (localized("diary show supper"), localized("both versions stayed after a sync")),
      (localized("diary search bread"), localized("a word in all entries")),
      ("diary onthisday", localized("what was written a year ago")),
      ("diary delete 1; diary undo", localized("nothing is lost")),
    ]
    let width = rows.map { displayWidth($0.0) }.max() ?? 0
    let lines = rows.map { row in
      "  " + row.0 + EntryTable.blanks(width + 2 - displayWidth(row.0)) + row.1
    }
    // The variable counts more than the current folder.
    let isSet = RuntimeEnvironment.current().variables["DIARY_JOURNAL"] != nil
    let before = (isSet ? ["  unset DIARY_JOURNAL"] : []) + ["  cd \(shellWord(demo.root))"]
    return (before + lines).joined(separator: "\n")
  }

  private func offerRemoval(of demo: DemoJournal) throws {
    let command = "rm -r \(shellWord(demo.folder))"
    guard Console.canPrompt,
      Console.confirm(localized("Remove the journal of the demo now?"), preset: false)
    else {
      return common.printNotice(localized("To remove it later: \(command)"))
    }
    let others = try demo.remove()
    guard !others.isEmpty else { return common.printNotice(localized("Removed.")) }
    let names = others.prefix(5).map { Console.escaped($0) }.joined(separator: ", ")
    throw DiaryError(
      localized(
        "\(demo.folder) has files that the demo did not make like this, so it stays: \(names)"),
      hint: localized("to remove all of it: \(command)"))
  }
}
