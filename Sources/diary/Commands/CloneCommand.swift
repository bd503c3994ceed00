import ArgumentParser
import DiaryCore
import DiaryKit

struct CloneCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "clone", abstract: "Bring a journal from its remote to this device.",
    discussion: "Without a folder it becomes the personal journal.")

  @Argument(help: ArgumentHelp("Any address that git takes.", valueName: "url"))
  var url: String
  @Argument(help: ArgumentHelp("The new folder.", valueName: "folder"))
  var folder: String?
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let world = Surroundings.real()
    let root = world.absolute(folder ?? common.journal ?? Journal.personalJournal(world))
    common.remark("Fetching from \(Console.named(Journal.withoutPassword(url))) …")
    let outcome = try await Journal.clone(url, to: root, world)
    Console.say("Journal: \(Console.shown(outcome.root))")
    if outcome.isNew {
      common.remark("The remote was empty: a new journal was begun and sent to it.")
    } else {
      common.remark(Console.counted(outcome.entries, "entry is", "entries are") + " in the list.")
    }
    common.remark("`diary sync` exchanges with it; `diary watch --sync` does so by itself.")
  }
}
