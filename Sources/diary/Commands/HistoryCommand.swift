import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "history", abstract: localized("List every saved version of an entry, newest first."),
    discussion: localized(
      """
      The entry may be deleted. Each line shows how many versions ago it was (for --at), the time, \
      the words added and removed, and the commit message.
      """))

  @Argument(
    help: ArgumentHelp(
      localized("A number, a date, a path or words of a title; deleted entries too."),
      valueName: "ref"))
  var reference: [String]
  @Flag(help: ArgumentHelp(localized("Show what changed, word by word.")))
  var patch = false
  @Flag(help: ArgumentHelp(localized("Print a JSON array.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json && patch { throw ValidationError(localized("choose one of --json and --patch")) }
  }

  func run() async throws {
    let journal = try common.open()
    let path = try await journal.catalog.historyPath(reference.joined(separator: " "))
    let history = try await journal.history.history(of: path, patch: patch)
    if json {
      return Console.print(json: try EntryJSON.encoded(history.versions.map { VersionJSON($0) }))
    }
    await Pager.show(HistoryTable(history).lines)
    if history.isCutOff {
      common.printNotice(
        localized(
          "This clone is shallow and does not have the older versions.\n"
            + "hint: `git fetch --unshallow` fetches them"))
    }
  }
}

/// A version in `history --json`.
struct VersionJSON: Encodable {
  let at: String
  let commit: String
  let message: String
  let path: String
  let added: Int
  let removed: Int

  init(_ version: EntryRevision) {
    at = EntryDate(instant: version.at, offset: version.offset)?.description ?? ""
    commit = version.commit
    message = version.message
    path = version.path.text
    added = version.added
    removed = version.removed
  }
}
