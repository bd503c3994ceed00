import ArgumentParser
import DiaryCore
import DiaryKit

struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "rename",
    abstract: "Give an entry a new title and the file name that goes with it.",
    discussion: "Relative links to it in other entries are mended.")

  @Argument(help: ArgumentHelp("The entry, as one word (quote it).", valueName: "ref"))
  var reference: String
  @Argument(help: ArgumentHelp("The new title.", valueName: "title"))
  var title: [String]
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let entry = try await journal.resolve(reference, .unique)
    let done = try await journal.rename(entry.path, to: title.joined(separator: " "))
    for path in done.mended { common.remark("Mended a link in \(Console.named(path.text))") }
    if !done.dangling.isEmpty {
      common.remark(
        "\(Console.named(entry.path.text)), the old name, is still linked to in "
          + Console.counted(
            done.dangling.count, "note that is no entry:", "notes that are no entries:"))
      for path in done.dangling.prefix(10) { common.remark("  " + Console.named(path.text)) }
      if done.dangling.count > 10 { common.remark("  and \(done.dangling.count - 10) more") }
    }
    SaveReport.tell(done.save, common)
    Console.say(Console.shown(journal.root + "/" + done.path.text))
  }
}
