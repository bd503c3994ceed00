import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "show", abstract: localized("Print entries: formatted on a terminal, raw in a pipe."),
    discussion: localized(
      "The entries of a date, of a range or of the filters are printed oldest first."))

  @OptionGroup var selection: EntrySelection
  @Option(
    help: ArgumentHelp(
      localized("An earlier version: \"2026-11-20 18:00\", 3 (versions ago), or a commit."),
      valueName: "when")
  )
  var at: String?
  @Flag(help: ArgumentHelp(localized("Print it as JSON.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if at != nil, !selection.hasReferences {
      throw ValidationError(localized("--at needs an entry, not filters"))
    }
  }

  func run() async throws {
    let journal = try common.open()
    if at != nil { return try await showVersion(in: journal) }
    let entries: [EntrySummary]
    do {
      entries = try await selection.entries(in: journal, common).entries
    } catch let error as DiaryError where error.kind == .nothingFound && selection.hasReferences {
      guard let missing = try await journal.history.resolveMissing(reference) else { throw error }
      common.printNotice(
        localized(
          "\(Console.escaped(missing.path.text)) is missing from the folder; this is its last saved "
            + "version.\nhint: `diary restore \(Console.escaped(missing.path.text))` brings it back"
        ))
      return try await showVersion(in: journal)
    }
    try await Self.show(entries, json: json, in: journal)
  }

  /// Prints entries with their texts.
  static func show(_ entries: [EntrySummary], json: Bool, in journal: Journal) async throws {
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
    let pages = zip(entries, texts).map { lines(of: $0, $1, in: journal) }
    await Pager.show(Array(pages.joined(separator: ["", rule, ""])))
  }

  private var reference: String { selection.references.joined(separator: " ") }

  /// Shows an earlier version of an entry, or a deleted entry.
  private func showVersion(in journal: Journal) async throws {
    let found = try await journal.history.resolveIncludingDeleted(reference)
    let text = try await journal.history.text(of: found.path, at: at ?? "0")
    let entry = journal.history.summary(of: text, at: found.path)
    if json {
      return Console.print(json: try EntryJSON.encoded([EntryJSON(entry: entry, body: text.body)]))
    }
    guard Console.isTerminal else { return Console.write(text.bytes, to: 1) }
    await Pager.show(Self.lines(of: entry, text, in: journal))
  }

  /// An entry formatted for a terminal.
  private static func lines(
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
