import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct RenameCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "rename",
    abstract: localized("Give an entry a new title, or another day, and the matching file name."),
    discussion: localized(
      "The relative links to it, and its own, are updated. Pictures stay where they are."))

  @Argument(
    help: ArgumentHelp(localized("The entry; in quotes if it has several words."), valueName: "ref")
  )
  var reference: String
  @Argument(help: ArgumentHelp(localized("The new title."), valueName: "title"))
  var title: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("The new day, time or both: yesterday, 21:00, \"2026-11-20 21:00\", …"),
      valueName: "when"))
  var date: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if title.isEmpty, date == nil {
      throw ValidationError(localized("give a new title, or a day with --date"))
    }
  }

  func run() async throws {
    let journal = try common.open(writing: true)
    let entry = try await journal.catalog.resolve(reference, .mustBeUnique)
    let done = try await journal.entries.rename(
      entry.path, to: title.isEmpty ? nil : title.joined(separator: " "), on: date)
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
    if done.hasOldWeather {
      common.printNotice(
        localized(
          "The weather is still that of the old date. For the new one, remove `weather:` from the "
            + "header, then: diary weather stamp \(Console.escaped(shellWord(done.path.text)))"))
    }
    SaveReport.print(done.save, common)
    Console.print(done.path, in: journal)
  }
}
