import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct ListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "list", abstract: localized("List entries, newest first (same as plain `diary`)."))

  @Option(
    help: ArgumentHelp(
      localized("The journal as it was: a date, a time or a commit."), valueName: "when"))
  var at: String?
  @Flag(help: ArgumentHelp(localized("List deleted entries, and when they were deleted.")))
  var deleted = false
  @OptionGroup var filters: FilterOptions
  @OptionGroup var output: OutputOptions
  @OptionGroup var lineFormat: LineFormatOption
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if lineFormat.format != nil, deleted || output.json || output.paths {
      throw ValidationError(localized("--format cannot be used with --json, --paths or --deleted"))
    }
    if deleted, at != nil { throw ValidationError(localized("choose one of --at and --deleted")) }
  }

  func run() async throws {
    let journal = try common.open()
    var filter = try filters.filter(in: journal)
    filter.needsPreviews = output.json || lineFormat.format != nil || Console.isTerminal
    if deleted { return try await listDeleted(filter, in: journal) }
    let entries =
      if let at { try await journal.history.list(filter, at: at) } else {
        try await journal.catalog.list(filter)
      }
    var absent = at == nil ? try await journal.catalog.missingEntries() : []
    // A folder that cannot be read is not missing.
    let unreadable = absent.isEmpty ? [] : journal.changes.unreadableFolders()
    absent.removeAll { entry in unreadable.contains { entry.isInside($0.path) } }
    let missing = absent.count
    defer {
      SaveReport.printUnreadable(
        journal.changes.unreadableEntries(), folders: unreadable, in: journal, common)
      SaveReport.printMissing(entries: missing, common)
    }
    if output.paths { return output.printPaths(entries.map(\.path), in: journal) }
    if output.json { return Console.print(json: try EntryJSON.text(of: entries)) }
    if let lines = try lineFormat.lines(of: entries) { return await Pager.show(lines) }
    if entries.isEmpty, at == nil, Console.isTerminal {
      let count = try journal.catalog.entryCount
      if count == 0, missing > 0 { return }
      common.printNotice(
        count == 0
          ? localized("No entries yet. To write the first: diary today: It rained.")
          : localized("No entries match. The journal has \(grouped(count))."))
    }
    let review = at == nil ? Set(try await journal.remote.recordedReviews()) : []
    await Pager.show(EntryTable(entries, review: review).lines)
    if entries.contains(where: { review.contains($0.path) }) {
      common.printNotice(
        localized(
          "\(EntryTable.reviewMarker) means that two devices changed the same part of "
            + "the entry; please check it. Editing the text removes the mark."))
    }
  }

  private func listDeleted(_ filter: ListFilter, in journal: Journal) async throws {
    let found = try await journal.history.deleted(filter)
    if output.paths { return output.printPaths(found.map(\.entry.path), in: journal) }
    if output.json {
      let values = found.map {
        EntryJSON(entry: $0.entry, deleted: journal.history.date(of: $0.at))
      }
      return Console.print(json: try EntryJSON.encoded(values))
    }
    let locale = UserLocale()
    await Pager.show(
      found.map { deleted in
        let entry = deleted.entry
        return [
          locale.text(of: deleted.at), Console.escapedOnTerminal(entry.path.text),
          Console.styled(Console.isTerminal ? terminalLine(entry.title) : entry.title, .bold),
        ].joined(separator: "  ")
      })
    if !found.isEmpty { common.printNotice(localized("To bring one back: diary restore PATH")) }
  }
}
