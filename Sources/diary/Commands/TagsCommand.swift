import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "tags",
    abstract: localized("List all tags and how many entries use each, or rename one."),
    discussion: localized(
      """
      `diary tags --rename OLD NEW` renames a tag, and all tags below it (OLD/…), in every entry. \
      `diary undo` reverses it.
      """))

  @Option(
    help: ArgumentHelp(localized("Rename this tag to NEW in every entry."), valueName: "old"))
  var rename: String?
  @Argument(help: ArgumentHelp(localized("The new name of the tag."), valueName: "new"))
  var new: String?
  @Flag(help: ArgumentHelp(localized("Print a JSON array.")))
  var json = false
  @OptionGroup var common: CommonOptions

  struct TagJSON: Encodable {
    let tag: String
    let count: Int
  }

  func validate() throws {
    guard (rename == nil) == (new == nil) else {
      throw ValidationError(localized("a tag is renamed by `diary tags --rename OLD NEW`"))
    }
    guard rename == nil || !json else {
      throw ValidationError(localized("--json lists tags; it cannot be used with --rename"))
    }
  }

  func run() async throws {
    if let rename, let new { return try await renameTag(rename, to: new) }
    let journal = try common.open()
    defer { SaveReport.printUnreadable(journal.changes.unreadableEntries(), in: journal, common) }
    let tags = try await journal.catalog.tags()
    if json {
      return Console.print(
        json: try EntryJSON.encoded(tags.map { TagJSON(tag: $0.tag, count: $0.count) }))
    }
    let width = tags.map { String($0.count).count }.max() ?? 1
    await Pager.show(
      tags.map { tag in
        let count = String(tag.count)
        return EntryTable.blanks(width - count.count) + count + "  "
          + Console.escapedOnTerminal(tag.tag)
      })
  }

  private func renameTag(_ old: String, to new: String) async throws {
    let outcome = try await common.open(writing: true).entries.renameTag(old, to: new)
    SaveReport.print(outcome.save, common)
    for error in outcome.refusals { Console.printError(error) }
    Console.print(
      localized(
        "Renamed \(old) to \(new) in \(counted(outcome.changed.count, "entry", "entries")).")
    )
    if !outcome.refusals.isEmpty { throw ExitCode(1) }
  }
}
