import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "rename",
    abstract: localized("Give an entry a new title and file name."),
    discussion: localized("Relative links to it in other entries are updated."))

  @Argument(
    help: ArgumentHelp(localized("The entry; in quotes if it has several words."), valueName: "ref")
  )
  var reference: String
  @Argument(help: ArgumentHelp(localized("The new title."), valueName: "title"))
  var title: [String]
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let entry = try await journal.resolve(reference, .unique)
    let done = try await journal.rename(entry.path, to: title.joined(separator: " "))
    for path in done.mended {
      common.remark(localized("Updated a link in \(Console.named(path.text))"))
    }
    if !done.dangling.isEmpty {
      common.remark(
        localized(
          "The old name, \(Console.named(entry.path.text)), is still linked in "
            + "\(counted(done.dangling.count, "note that is not an entry", "notes that are not entries")):"
        ))
      for path in done.dangling.prefix(10) { common.remark("  " + Console.named(path.text)) }
      if done.dangling.count > 10 {
        common.remark(localized("  and \(done.dangling.count - 10) more"))
      }
    }
    SaveReport.tell(done.save, common)
    Console.say(Console.shown(journal.root + "/" + done.path.text))
  }
}
