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
    let entry = try await journal.catalog.resolve(reference, .mustBeUnique)
    let done = try await journal.entries.rename(entry.path, to: title.joined(separator: " "))
    for path in done.updated {
      common.printNotice(localized("Updated a link in \(Console.escaped(path.text))"))
    }
    if !done.filesWithStaleLinks.isEmpty {
      common.printNotice(
        localized(
          "The old name, \(Console.escaped(entry.path.text)), is still linked in "
            + "\(counted(done.filesWithStaleLinks.count, "file that was not changed", "files that were not changed")):"
        ))
      for path in done.filesWithStaleLinks.prefix(10) {
        common.printNotice("  " + Console.escaped(path.text))
      }
      if done.filesWithStaleLinks.count > 10 {
        common.printNotice(localized("  and \(done.filesWithStaleLinks.count - 10) more"))
      }
    }
    SaveReport.print(done.save, common)
    Console.print(done.path, in: journal)
  }
}
