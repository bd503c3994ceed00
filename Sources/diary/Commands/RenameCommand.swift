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
    let entry = try await journal.resolve(reference, .mustBeUnique)
    let done = try await journal.rename(entry.path, to: title.joined(separator: " "))
    for path in done.updated {
      common.printNotice(localized("Updated a link in \(Console.escaped(path.text))"))
    }
    if !done.notesWithStaleLinks.isEmpty {
      common.printNotice(
        localized(
          "The old name, \(Console.escaped(entry.path.text)), is still linked in "
            + "\(counted(done.notesWithStaleLinks.count, "note that is not an entry", "notes that are not entries")):"
        ))
      for path in done.notesWithStaleLinks.prefix(10) {
        common.printNotice("  " + Console.escaped(path.text))
      }
      if done.notesWithStaleLinks.count > 10 {
        common.printNotice(localized("  and \(done.notesWithStaleLinks.count - 10) more"))
      }
    }
    SaveReport.print(done.save, common)
    Console.print(Console.escapedOnTerminal(journal.root + "/" + done.path.text))
  }
}
