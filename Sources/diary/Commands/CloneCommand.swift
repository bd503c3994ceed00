import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct CloneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "clone", abstract: localized("Copy a journal from a git remote to this device."),
    discussion: localized("Without FOLDER, it becomes your personal journal."))

  @Argument(help: ArgumentHelp(localized("Any address that git accepts."), valueName: "url"))
  var url: String
  @Argument(help: ArgumentHelp(localized("The new folder."), valueName: "folder"))
  var folder: String?
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root = environment.absolute(
      try folder ?? common.folder(environment) ?? Journal.personalJournal(environment))
    common.remark(localized("Fetching from \(Console.named(Journal.withoutPassword(url))) …"))
    let outcome = try await Journal.clone(url, to: root, environment)
    Console.say(localized("Journal: \(Console.shown(outcome.root))"))
    if outcome.isNew {
      common.remark(localized("The remote was empty: Diary created a new journal and pushed it."))
    } else {
      common.remark(localized("\(counted(outcome.entries, "entry", "entries")) found."))
    }
    common.remark(
      localized("`diary sync` syncs with the remote; `diary watch --sync` does so automatically."))
  }
}
