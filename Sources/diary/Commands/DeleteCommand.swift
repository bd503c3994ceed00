import ArgumentParser
import DiaryCore
import DiaryKit

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "delete", abstract: "Delete entries; `diary restore` brings them back.")

  @Argument(help: ArgumentHelp("The entries: numbers, dates or paths.", valueName: "ref"))
  var references: [String]
  @Flag(help: "Do not ask. Needs a number, a date or a path, not words of a title.")
  var yes = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    var entries: [EntrySummary] = []
    for reference in references {
      if yes, journal.isWords(reference) {
        throw DiaryError(
          "--yes needs a number, a date or a path, not words of a title: \"\(reference)\"",
          kind: .usage, hint: "`diary list` shows the numbers")
      }
      let entry = try await journal.resolve(reference, .unique)
      if !entries.contains(where: { $0.path == entry.path }) { entries.append(entry) }
    }
    let locale = ReaderLocale()
    for entry in entries where !yes {
      guard Console.canAsk else {
        throw DiaryError(
          "cannot ask for confirmation: not a terminal",
          hint: "use --yes to delete \"\(entry.title)\"")
      }
      let question = "Delete \"\(Console.named(entry.title))\" of \(locale.text(of: entry.day))?"
      guard Console.agrees(question, preset: false) else {
        common.remark("Nothing was deleted.")
        return
      }
    }
    let unsaved = try await journal.neverWritten(entries.map(\.path))
    let outcome = try await journal.delete(entries.map(\.path))
    SaveReport.tell(outcome, common)
    for entry in entries {
      Console.say("Deleted \(Console.shown(entry.path.text))")
      common.remark(
        unsaved.contains(entry.path)
          ? "You never wrote in it, so it was never saved."
          : "To bring it back: diary restore \(Console.quoted(entry.path.text))")
    }
  }
}
