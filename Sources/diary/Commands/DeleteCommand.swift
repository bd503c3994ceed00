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
      if yes, journal.isWords(reference) {
        throw DiaryError(
          localized(
            "--yes needs a number, a date or a path, not words of a title: \"\(reference)\""),
          kind: .usage, hint: localized("`diary list` shows the numbers"))
      }
      let entry = try await journal.resolve(reference, .unique)
      if !entries.contains(where: { $0.path == entry.path }) { entries.append(entry) }
    }
    let locale = ReaderLocale()
    for entry in entries where !yes {
      guard Console.canAsk else {
        throw DiaryError(
          localized("cannot ask for confirmation: not a terminal"),
          hint: localized("use --yes to delete \"\(entry.title)\""))
      }
      let question = localized(
        "Delete \"\(Console.named(entry.title))\" of \(locale.text(of: entry.day))?")
      guard Console.agrees(question, preset: false) else {
        common.remark(localized("Nothing was deleted."))
        return
      }
    }
    let unsaved = try await journal.neverWritten(entries.map(\.path))
    let left = try journal.filesOnly(of: entries.map(\.path))
    let outcome = try await journal.delete(entries.map(\.path))
    SaveReport.tell(outcome, common)
    for entry in entries {
      Console.say(localized("Deleted \(Console.shown(entry.path.text))"))
      common.remark(
        unsaved.contains(entry.path)
          ? localized("You never wrote in it, so it was never saved.")
          : localized("To bring it back: diary restore \(Console.quoted(entry.path.text))"))
    }
    for file in left {
      common.remark(
        localized("\(Console.named(file.text)) stays in the folder; no other entry links to it."))
    }
  }
}
