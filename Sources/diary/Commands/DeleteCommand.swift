import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "delete", abstract: localized("Delete entries; `diary restore` brings them back."))

  @Argument(
    help: ArgumentHelp(localized("The entries: numbers, dates or paths."), valueName: "ref"))
  var references: [String]
  @Flag(
    help: ArgumentHelp(
      localized("Do not ask. Needs a number, a date or a path, not words of a title.")))
  var yes = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    var entries: [EntrySummary] = []
    for reference in references {
      if yes, journal.catalog.isTitleText(reference) {
        throw DiaryError(
          localized(
            "--yes needs a number, a date or a path, not words of a title: \"\(reference)\""),
          kind: .usage, hint: localized("`diary list` shows the numbers"))
      }
      let entry = try await journal.catalog.resolve(reference, .mustBeUnique)
      if !entries.contains(where: { $0.path == entry.path }) { entries.append(entry) }
    }
    let locale = UserLocale()
    for entry in entries where !yes {
      try Console.requirePrompt(hint: localized("use --yes to delete \"\(entry.title)\""))
      let question = localized(
        "Delete \"\(Console.escaped(entry.title))\" of \(locale.text(of: entry.day))?")
      guard Console.confirm(question, preset: false) else {
        common.printNotice(localized("Nothing was deleted."))
        return
      }
    }
    let unsaved = try await journal.entries.unwrittenEntries(among: entries.map(\.path))
    let remainingFiles = try journal.entries.filesUsedOnly(by: entries.map(\.path))
    let outcome = try await journal.entries.delete(entries.map(\.path))
    SaveReport.print(outcome, common)
    for entry in entries {
      Console.print(localized("Deleted \(Console.escapedOnTerminal(entry.path.text))"))
      common.printNotice(
        unsaved.contains(entry.path)
          ? localized("You never wrote in it, so it was never saved.")
          : localized("To bring it back: diary restore \(shellWord(entry.path.text))"))
    }
    for file in remainingFiles {
      common.printNotice(
        localized("\(Console.escaped(file.text)) stays in the folder; no other entry links to it."))
    }
  }
}
