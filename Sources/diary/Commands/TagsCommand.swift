import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct TagsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "tags", abstract: localized("List all tags and how many entries use each."))

  @Flag(help: ArgumentHelp(localized("Print a JSON array.")))
  var json = false
  @OptionGroup var common: CommonOptions

  struct TagJSON: Encodable {
    let tag: String
    let count: Int
  }

  func run() async throws {
    let tags = try await common.open().catalog.tags()
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
}
