import DiaryCore
import DiaryKit
import Glibc
import Localization

/// Runs the user's editor, for `new` and `edit`.
enum EditorSession {
  /// The user's editor. If there is none, throws an error that suggests `alternative`.
  static func editor(of journal: Journal, alternative: String) async throws -> EditorCommand {
    let onTerminal = isatty(STDIN_FILENO) == 1 && Console.isTerminal
    guard let editor = await journal.editor(onTerminal: onTerminal) else {
      throw DiaryError.noEditor(onTerminal: onTerminal, otherwise: alternative)
    }
    return editor
  }

  static func run(
    _ path: EntryPath, of journal: Journal, in editor: EditorCommand, draft: DraftEntry? = nil,
    _ common: CommonOptions
  ) async throws {
    // Ctrl-C is for the editor, which inherits an ignored signal but not a handler.
    signal(SIGINT) { _ in }
    signal(SIGQUIT) { _ in }
    defer {
      signal(SIGINT, SIG_DFL)
      signal(SIGQUIT, SIG_DFL)
    }
    let result = try await journal.entries.edit(path, in: editor, draft: draft) {
      askToMoveHeaderBack(in: path, isPossible: $0)
    }
    switch result {
    case .blank: common.printNotice(localized("The entry was blank, so it was removed."))
    case .editorForked(let path):
      Console.print(path, in: journal)
      common.printNotice(
        localized(
          "diary: the editor closed right away and nothing was written; the entry is kept\n"
            + "hint: if your editor opens its own window, make it wait: EDITOR=\"code --wait\"; "
            + "`diary watch` or `diary save` saves what you write"))
    case .written(let path, let outcome):
      SaveReport.print(outcome, common)
      Console.print(path, in: journal)
    }
  }

  /// Reports that the header is no longer at the top; on a terminal, asks whether to move it back.
  private static func askToMoveHeaderBack(in path: EntryPath, isPossible: Bool) -> Bool {
    Console.printNotice(
      localized(
        "diary: the header of \(Console.escaped(path.text)) is no longer at the top, so Diary ignores "
          + "its title, date and tags"))
    guard isPossible else {
      Console.printNotice(
        localized("hint: open it with `diary edit` and move the lines from --- to --- to the top"))
      return false
    }
    if Console.canPrompt {
      return Console.confirm(localized("Move it back to the top?"), preset: true)
    }
    Console.printNotice(localized("hint: `diary check --fix` moves it back and keeps all text"))
    return false
  }
}
