import ArgumentParser
import DiaryCore
import DiaryKit

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "delete", abstract: "Remove entries; every version can be had back.")

  @Argument(help: ArgumentHelp("The entries: numbers, dates or paths.", valueName: "ref"))
  var references: [String]
  @Flag(help: "Do not ask. Words of a title are then refused.")
  var yes = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    var entries: [ListedEntry] = []
    for reference in references {
      if yes, journal.isWords(reference) {
        throw DiaryError(
          "with --yes an entry must be named by number, date or path, not \"\(reference)\"",
          kind: .usage, hint: "`diary list` shows the numbers")
      }
      let entry = try await journal.resolve(reference, .unique)
      if !entries.contains(where: { $0.path == entry.path }) { entries.append(entry) }
    }
    let locale = ReaderLocale()
    for entry in entries where !yes {
      guard Console.canAsk else {
        throw DiaryError(
          "nobody can be asked whether \"\(entry.title)\" shall go", hint: "add --yes to delete it")
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
          ? "It was as `diary new` had made it, and was never saved."
          : "To have it back: diary restore \(Console.quoted(entry.path.text))")
    }
  }
}
