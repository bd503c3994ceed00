import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "edit", abstract: localized("Open an entry in your editor."),
    discussion: localized("Several entries are opened one after the other."))

  @Argument(
    help: ArgumentHelp(localized("A number, a date, a path or words of a title."), valueName: "ref")
  )
  var reference: [String]
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let entries = try await journal.catalog.resolveAll(reference, .newestOfDay)
    let editor = try await EditorSession.editor(
      of: journal, alternative: localized("append with `diary add --to`"))
    for entry in entries {
      try await EditorSession.run(entry.path, of: journal, in: editor, common)
    }
  }
}
