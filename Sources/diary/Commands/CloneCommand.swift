import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct CloneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "clone",
    abstract: localized("Copy a journal from a git remote or a backup to this device."),
    discussion: localized("Without FOLDER, it becomes your personal journal."))

  @Argument(
    help: ArgumentHelp(
      localized("Any address that git accepts, or a backup (a zip of `diary export`)."),
      valueName: "url"))
  var url: String
  @Argument(help: ArgumentHelp(localized("The new folder."), valueName: "folder"))
  var folder: String?
  @Flag(
    help: ArgumentHelp(localized("The remote is sealed: ask for its key if it is not here.")))
  var sealed = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root = environment.absolutePath(
      of: try folder ?? common.folder(environment) ?? JournalFinder.personalJournal(environment))
    guard sealed || !JournalSetup.isArchive(url, environment) else {
      return try await restoreBackup(to: root, environment)
    }
    try JournalSetup.requireNewFolder(root, environment)
    common.printNotice(
      localized("Fetching from \(Console.escaped(JournalSetup.redactedURL(url))) …"))
    let address =
      sealed
      ? try await SealedSetup(environment: environment, common: common)
        .addressForClone(url, to: root) : url
    let outcome = try await JournalSetup.clone(address, to: root, environment)
    Console.print(localized("Journal: \(Console.escapedOnTerminal(outcome.root))"))
    if outcome.isNew {
      common.printNotice(
        localized("The remote was empty: Diary created a new journal and pushed it."))
    } else {
      common.printNotice(localized("\(counted(outcome.entries, "entry", "entries")) found."))
    }
    common.printNotice(
      localized("`diary sync` syncs with the remote; `diary watch --sync` does so automatically."))
  }

  private func restoreBackup(to root: String, _ environment: RuntimeEnvironment) async throws {
    let outcome = try await JournalSetup.restoreBackup(url, to: root, environment)
    Console.print(localized("Journal: \(Console.escapedOnTerminal(outcome.root))"))
    common.printNotice(localized("\(counted(outcome.entries, "entry", "entries")) restored."))
    if outcome.isNew {
      common.printNotice(localized("The backup had no history, so the journal begins one."))
    }
    common.printNotice(
      localized("The journal has no remote; `diary init \(shellWord(root)) --remote URL` sets one.")
    )
  }
}
