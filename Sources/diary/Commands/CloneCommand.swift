import ArgumentParser
import DiaryCore
import DiaryKit

struct CloneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "clone", abstract: "Copy a journal from a git remote to this device.",
    discussion: "Without FOLDER, it becomes your personal journal.")

  @Argument(help: ArgumentHelp("Any address that git accepts.", valueName: "url"))
  var url: String
  @Argument(help: ArgumentHelp("The new folder.", valueName: "folder"))
  var folder: String?
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root = environment.absolute(
      folder ?? common.journal ?? Journal.personalJournal(environment))
    common.remark("Fetching from \(Console.named(Journal.withoutPassword(url))) …")
    let outcome = try await Journal.clone(url, to: root, environment)
    Console.say("Journal: \(Console.shown(outcome.root))")
    if outcome.isNew {
      common.remark("The remote was empty: Diary created a new journal and pushed it.")
    } else {
      common.remark(Console.counted(outcome.entries, "entry", "entries") + " found.")
    }
    common.remark("`diary sync` syncs with the remote; `diary watch --sync` does so automatically.")
  }
}
