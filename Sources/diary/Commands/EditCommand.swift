import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct EditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "edit", abstract: localized("Open entries in your editor, one after the other."))

  /// The number of entries above which the command asks first.
  private static let maxUnasked = 20

  @OptionGroup var selection: EntrySelection
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let entries = try await selection.entries(in: journal, common).entries
    if entries.count > Self.maxUnasked {
      try Console.requirePrompt(hint: localized("select fewer entries, such as with -n 20"))
      let question = localized("Open \(entries.count) entries, one after the other?")
      guard Console.confirm(question, preset: false) else { return }
    }
    let editor = try await EditorSession.editor(
      of: journal, alternative: localized("append with `diary add --to`"))
    for entry in entries {
      try await EditorSession.run(entry.path, of: journal, in: editor, common)
    }
  }
}
