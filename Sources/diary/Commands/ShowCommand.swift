import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "show", abstract: localized("Print an entry: formatted on a terminal, raw in a pipe.")
  )

  @Argument(
    help: ArgumentHelp(localized("A number, a date, a path or words of a title."), valueName: "ref")
  )
  var reference: [String]
  @Option(
    help: ArgumentHelp(
      localized("An earlier version: \"2026-11-20 18:00\", 3 (versions ago), or a commit."),
      valueName: "when")
  )
  var at: String?
  @Flag(help: ArgumentHelp(localized("Print it as JSON.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    if at != nil { return try await showPast(in: journal) }
    let words = reference.joined(separator: " ")
    let entry: EntrySummary
    do {
      entry = try await journal.resolve(words, .newestOfDay)
    } catch let error as DiaryError where error.kind == .nothingFound {
      guard let missing = try await journal.resolveMissing(words) else { throw error }
      common.remark(
        localized(
          "\(Console.named(missing.path.text)) is missing from the folder; this is its last saved "
            + "version.\nhint: `diary restore \(Console.named(missing.path.text))` brings it back"))
      return try await showPast(in: journal)
    }
    if json { return Console.say(json: try EntryJSON.text(of: [entry])) }
    let text = try journal.text(of: entry.path)
    guard Console.isTerminal else { return Console.write(text.bytes, to: 1) }
    await show(entry, text, in: journal)
  }

  /// An entry as it was, also a deleted one.
  private func showPast(in journal: Journal) async throws {
    let found = try await journal.resolveIncludingDeleted(
      reference.joined(separator: " "), .newestOfDay)
    let text = try await journal.text(of: found.path, at: at ?? "0")
    let entry = journal.listed(text, at: found.path)
    if json { return Console.say(json: try EntryJSON.text(of: [entry])) }
    guard Console.isTerminal else { return Console.write(text.bytes, to: 1) }
    await show(entry, text, in: journal)
  }

  private func show(_ entry: EntrySummary, _ text: EntryText, in journal: Journal) async {
    // Longer lines are hard to read.
    let lines = journal.terminalLines(
      of: entry, text, ReaderLocale().shareWords, width: min(Console.width, 100),
      isStyled: Console.hasColour)
    await Pager.show(lines)
  }
}

extension String {
  /// Without the blank lines before the first and after the last line with words.
  func trimmingBlankLines() -> String {
    var lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}
