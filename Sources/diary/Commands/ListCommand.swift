import ArgumentParser
import DiaryCore
import DiaryKit

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "The entries, newest first (also plain `diary`).")

  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    let entries = try await journal.list(try filters.filter(in: journal))
    if output.paths { return output.sayPaths(entries.map(\.path), in: journal) }
    if output.json { return Console.write(try EntryJSON.text(of: entries), to: 1) }
    if entries.isEmpty, Console.isTerminal {
      let count = try journal.entryCount
      common.remark(
        count == 0
          ? "No entries yet. `diary new` begins the first." : "No entry fits (of \(count)).")
    }
    await Pager.show(EntryTable(entries).lines)
  }
}
