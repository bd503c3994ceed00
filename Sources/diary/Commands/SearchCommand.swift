import ArgumentParser
import DiaryCore
import DiaryKit

struct SearchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Entries that hold all the words.",
    discussion: """
      Any part of a word finds, in every script, without regard to case and accents. \
      "a phrase" in quotes; title:word and tag:word look there alone.
      """)

  @Argument(help: ArgumentHelp("What to look for.", valueName: "word"))
  var words: [String]
  @Flag(help: "The words are one regular expression, tried on every line.")
  var regex = false
  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    let hits = try await journal.search(
      words, isPattern: regex, try filters.filter(in: journal))
    if output.paths { return output.sayPaths(hits.map(\.listed.path), in: journal) }
    if output.json {
      return Console.write(
        try EntryJSON.encoded(hits.map { EntryJSON(entry: $0.listed, match: $0.match.text) }), to: 1
      )
    }
    guard !hits.isEmpty else {
      throw DiaryError("nothing found for \(words.joined(separator: " "))", kind: .nothingFound)
    }
    let rows = EntryTable(hits.map(\.listed)).lines
    await Pager.show(zip(rows, hits).flatMap { [$0, "      " + line(of: $1)] })
  }

  /// The line that matched, with what matched marked.
  private func line(of hit: SearchHit) -> String {
    let line = Array(hit.match.text.utf8)
    func shown(_ range: Range<Int>) -> String {
      Console.shown(String(decoding: line[range], as: UTF8.self))
    }
    var text = ""
    var at = 0
    for range in hit.match.ranges where range.lowerBound >= at && range.upperBound <= line.count {
      text += shown(at..<range.lowerBound) + Console.styled(shown(range), .match)
      at = range.upperBound
    }
    return text + shown(at..<line.count)
  }
}
