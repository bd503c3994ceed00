import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "show", abstract: localized("Print entries: formatted on a terminal, raw in a pipe."),
    discussion: localized(
      "Several entries, or those that match the filters, are printed oldest first."))

  @Argument(
    help: ArgumentHelp(localized("A number, a date, a path or words of a title."), valueName: "ref")
  )
  var reference: [String] = []
  @Option(
    help: ArgumentHelp(
      localized("An earlier version: \"2026-11-20 18:00\", 3 (versions ago), or a commit."),
      valueName: "when")
  )
  var at: String?
  @Flag(help: ArgumentHelp(localized("Print it as JSON.")))
  var json = false
  @OptionGroup var filters: FilterOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if reference.isEmpty, !filters.hasFilter {
      throw ValidationError(localized("name an entry, or filter with --on, --since, …"))
    }
    if !reference.isEmpty, filters.hasFilter {
      throw ValidationError(localized("name entries, or filter with --on, --since, …, not both"))
    }
    if at != nil, filters.hasFilter {
      throw ValidationError(localized("--at needs an entry, not filters"))
    }
  }

  func run() async throws {
    let journal = try common.open()
    if at != nil { return try await showVersion(in: journal) }
    let entries: [EntrySummary]
    do {
      entries =
        reference.isEmpty
        ? try await filteredEntries(in: journal)
        : try await journal.catalog.resolveAll(reference, .newestOfDay)
    } catch let error as DiaryError where error.kind == .nothingFound && !reference.isEmpty {
      let referenceText = reference.joined(separator: " ")
      guard let missing = try await journal.history.resolveMissing(referenceText) else {
        throw error
      }
      common.printNotice(
        localized(
          "\(Console.escaped(missing.path.text)) is missing from the folder; this is its last saved "
            + "version.\nhint: `diary restore \(Console.escaped(missing.path.text))` brings it back"
        ))
      return try await showVersion(in: journal)
    }
    let texts = try entries.map { try journal.catalog.text(of: $0.path) }
    if json {
      return Console.print(
        json: try EntryJSON.encoded(
          zip(entries, texts).map { EntryJSON(entry: $0, body: $1.body) }))
    }
    guard Console.isTerminal else {
      let blank = [UInt8(ascii: "\n")]
      return Console.write(Array(texts.map(\.bytes).joined(separator: blank)), to: 1)
    }
    let rule = Console.styled(String(repeating: "─", count: min(Console.width, 100)), .dim)
    let pages = zip(entries, texts).map { Self.lines(of: $0, $1, in: journal) }
    await Pager.show(Array(pages.joined(separator: ["", rule, ""])))
  }

  /// The entries that the options select, oldest first.
  private func filteredEntries(in journal: Journal) async throws -> [EntrySummary] {
    let entries = try await journal.catalog.list(try filters.filter(in: journal))
    guard entries.isEmpty else { return entries.sorted { $0.number > $1.number } }
    guard let on = filters.on else {
      throw DiaryError(
        localized("no entry matches"), kind: .nothingFound,
        hint: localized("`diary list` shows the entries with their numbers"))
    }
    throw DiaryError(
      localized("there is no entry for \"\(on)\""), kind: .nothingFound,
      hint: localized("to write one: `diary \(on): It rained.`"))
  }

  /// Shows an earlier version of an entry, or a deleted entry.
  private func showVersion(in journal: Journal) async throws {
    let found = try await journal.history.resolveIncludingDeleted(
      reference.joined(separator: " "), .newestOfDay)
    let text = try await journal.history.text(of: found.path, at: at ?? "0")
    let entry = journal.history.summary(of: text, at: found.path)
    if json {
      return Console.print(json: try EntryJSON.encoded([EntryJSON(entry: entry, body: text.body)]))
    }
    guard Console.isTerminal else { return Console.write(text.bytes, to: 1) }
    await Pager.show(Self.lines(of: entry, text, in: journal))
  }

  /// An entry formatted for a terminal.
  static func lines(
    of entry: EntrySummary, _ text: EntryText, in journal: Journal
  ) -> [String] {
    // Longer lines are hard to read.
    journal.entries.terminalLines(
      of: entry, text, UserLocale().shareLocale, width: min(Console.width, 100),
      isStyled: Console.hasColour)
  }
}

extension String {
  /// The text without blank lines at its start and end.
  func trimmingBlankLines() -> String {
    var lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    return lines.joined(separator: "\n")
  }
}
