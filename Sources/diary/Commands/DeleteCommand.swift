import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "delete", abstract: localized("Delete entries; `diary restore` brings them back."))

  @OptionGroup var selection: EntrySelection
  @Flag(
    help: ArgumentHelp(
      localized("Do not ask. Needs a number, a date or a path, not words of a title.")))
  var yes = false
  @Flag(
    help: ArgumentHelp(
      localized("With --yes: delete all entries of a date, a range or the filters.")))
  var all = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    if yes, selection.hasReferences,
      let title = journal.catalog.references(in: selection.references)
        .first(where: { journal.catalog.isTitleText($0) })
    {
      throw DiaryError(
        localized("--yes needs a number, a date or a path, not words of a title: \"\(title)\""),
        kind: .usage, hint: localized("`diary list` shows the numbers"))
    }
    let named = try await selection.entries(in: journal, common)
    let entries = named.entries
    if yes, named.hasSpan, !all {
      throw DiaryError(
        localized("--yes would delete \(entries.count) entries"), kind: .usage,
        hint: localized("to delete all of them, add --all"))
    }
    guard try yes || confirms(entries) else {
      return common.printNotice(localized("Nothing was deleted."))
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

  /// Asks once, after a list of the entries if there are several.
  private func confirms(_ entries: [EntrySummary]) throws -> Bool {
    guard entries.count > 1 else {
      let (title, day) = (entries[0].title, UserLocale().text(of: entries[0].day))
      try Console.requirePrompt(hint: localized("use --yes to delete \"\(title)\""))
      let question = localized("Delete \"\(Console.escaped(title))\" of \(day)?")
      return Console.confirm(question, preset: false)
    }
    try Console.requirePrompt(
      hint: localized("to delete all of them without a question: --yes --all"))
    EntryTable.plainLines(entries).forEach { Console.printNotice($0) }
    return Console.confirm(localized("Delete these \(entries.count) entries?"), preset: false)
  }
}
