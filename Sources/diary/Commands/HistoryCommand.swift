import ArgumentParser
import DiaryCore
import DiaryKit

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "history", abstract: "Every saved version of an entry, newest first.",
    discussion: """
      Also of a deleted one. Each line: how many versions ago (for --at), when, how many words came \
      and went, and the commit's message.
      """)

  @Argument(
    help: ArgumentHelp(
      "A number, a date, a path or words of a title, also of a deleted entry.", valueName: "ref"))
  var reference: [String]
  @Flag(help: "Show what changed, word by word.")
  var patch = false
  @Flag(help: "Print a JSON array.")
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json && patch { throw ValidationError("choose one of --json and --patch") }
  }

  func run() async throws {
    let journal = try common.open()
    let path = try await journal.pastPath(reference.joined(separator: " "))
    let past = try await journal.history(of: path, patch: patch)
    if json {
      return Console.say(json: try EntryJSON.encoded(past.versions.map { VersionJSON($0) }))
    }
    await Pager.show(VersionTable(past).lines)
    if past.isCutOff {
      common.remark(
        "Older versions are not in this clone, which is shallow.\n"
          + "hint: `git fetch --unshallow` brings them")
    }
  }
}

/// One version in `--json`: the public form.
struct VersionJSON: Encodable {
  let at: String
  let commit: String
  let message: String
  let path: String
  let added: Int
  let removed: Int

  init(_ version: PastVersion) {
    at = EntryDate(instant: version.at, offset: version.offset)?.description ?? ""
    commit = version.commit
    message = version.message
    path = version.path.text
    added = version.added
    removed = version.removed
  }
}
