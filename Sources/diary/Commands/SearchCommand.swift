import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "search", abstract: localized("Find entries that have all the words."),
    discussion: localized(
      """
      Part of a word is enough; case and accents do not matter. Put "a phrase" in quotes. \
      title:word and tag:word search only titles and tags; '#word' finds tags that begin with it. \
      OR and NOT in capitals combine words: soup OR rain, soup NOT rain; AND is applied before OR, \
      NOT applies to the next word.
      """))

  @Argument(help: ArgumentHelp(localized("The words to search for."), valueName: "word"))
  var words: [String]
  @Flag(help: ArgumentHelp(localized("Search each line for a regular expression.")))
  var regex = false
  @Flag(
    name: [.long, .customShort("f")],
    help: ArgumentHelp(localized("Print the whole entries that are found.")))
  var full = false
  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var lineFormat: LineFormatOption
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if words.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError(localized("nothing to search for"))
    }
    if full, output.paths || lineFormat.format != nil {
      throw ValidationError(localized("--full cannot be used with --paths or --format"))
    }
  }

  func run() async throws {
    let journal = try common.open()
    var filter = try filters.filter(in: journal)
    filter.needsPreviews = output.json || lineFormat.format != nil
    let hits = try await journal.catalog.search(
      words, isPattern: regex, filter, isMarked: Console.isTerminal)
    SaveReport.printUnreadable(journal.changes.unreadableEntries(), in: journal, common)
    if full, !hits.isEmpty || output.json {
      try await ShowCommand.show(hits.map(\.summary), json: output.json, in: journal)
      if hits.isEmpty { throw ExitCode(2) }
      return
    }
    if output.paths { output.printPaths(hits.map(\.summary.path), in: journal) }
    if output.json {
      let found = hits.map { EntryJSON(entry: $0.summary, match: $0.match.text) }
      Console.print(json: try EntryJSON.encoded(found))
    }
    if let lines = try lineFormat.lines(of: hits.map(\.summary)) { await Pager.show(lines) }
    if output.json || output.paths || lineFormat.format != nil {
      if hits.isEmpty { throw ExitCode(2) }
      return
    }
    guard !hits.isEmpty else {
      throw DiaryError(
        localized("no entry matches \(words.joined(separator: " "))"), kind: .nothingFound)
    }
    let rows = EntryTable(hits.map(\.summary)).lines
    let found = concurrentMap(hits, chunkSize: 500) { "      " + Self.line(of: $0) }
    await Pager.show(zip(rows, found).flatMap { [$0, $1] })
  }

  /// The matching line, with its matches marked; on a terminal, as much as fits.
  private static func line(of hit: SearchHit) -> String {
    guard Console.isTerminal else { return hit.match.text }
    let line = Array(hit.match.text.utf8)
    var parts: [MatchExcerpt.Part] = []
    func add(_ range: Range<Int>, isMatch: Bool) {
      let text = String(decoding: line[range], as: UTF8.self)
      parts.append(.init(text: Console.escapedOnTerminal(text), isMatch: isMatch))
    }
    var at = 0
    for range in hit.match.ranges where range.lowerBound >= at && range.upperBound <= line.count {
      add(at..<range.lowerBound, isMatch: false)
      add(range, isMatch: true)
      at = range.upperBound
    }
    add(at..<line.count, isMatch: false)
    if Console.isTerminal { parts = MatchExcerpt.excerpt(of: parts, width: Console.width - 6) }
    return parts.map { $0.isMatch ? Console.styled($0.text, .match) : $0.text }.joined()
  }
}
