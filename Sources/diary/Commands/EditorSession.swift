import DiaryCore
import DiaryKit
import Glibc
import Localization

/// The editor's turn, for `new` and `edit`.
enum EditorSession {
  /// The user's editor; throws where there is none, saying what can be done `otherwise`.
  static func editor(of journal: Journal, otherwise: String) async throws -> EditorCommand {
    let onTerminal = isatty(STDIN_FILENO) == 1 && Console.isTerminal
    guard let editor = await journal.editor(onTerminal: onTerminal) else {
      throw DiaryError.noEditor(onTerminal: onTerminal, otherwise: otherwise)
    }
    return editor
  }

  static func attend(
    _ path: EntryPath, of journal: Journal, in editor: EditorCommand, began: DraftEntry? = nil,
    _ common: CommonOptions
  ) async throws {
    // Ctrl-C belongs to the editor; a handler (unlike ignoring) is not inherited by it.
    signal(SIGINT) { _ in }
    signal(SIGQUIT) { _ in }
    defer {
      signal(SIGINT, SIG_DFL)
      signal(SIGQUIT, SIG_DFL)
    }
    let sitting = try await journal.edit(path, in: editor, began: began) {
      wantsHeaderBack(in: path, canBe: $0)
    }
    switch sitting {
    case .blank: common.remark(localized("The entry was blank, so it was removed."))
    case .editorForked(let path):
      Console.say(Console.shown(journal.root + "/" + path.text))
      common.remark(
        localized(
          "diary: the editor closed right away and nothing was written; the entry is kept\n"
            + "hint: if your editor opens its own window, make it wait: EDITOR=\"code --wait\"; "
            + "`diary watch` or `diary save` saves what you write"))
    case .written(let path, let outcome):
      SaveReport.tell(outcome, common)
      Console.say(Console.shown(journal.root + "/" + path.text))
    }
  }

  /// Tells that the header is no longer at the top, and asks on a terminal whether it shall go back.
  private static func wantsHeaderBack(in path: EntryPath, canBe: Bool) -> Bool {
    Console.note(
      localized(
        "diary: the header of \(Console.named(path.text)) is no longer at the top, so Diary ignores "
          + "its title, date and tags"))
    guard canBe else {
      Console.note(localized("hint: `diary edit` it and move the lines from --- to --- to the top"))
      return false
    }
    if Console.canAsk { return Console.agrees(localized("Move it back to the top?"), preset: true) }
    Console.note(localized("hint: `diary check --fix` moves it back and keeps all text"))
    return false
  }
}
