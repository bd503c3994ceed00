import DiaryCore
import DiaryKit
import Glibc

/// The editor's turn, for `new` and `edit`.
enum Editing {
  /// Whether an editor is known to stay on the terminal: then a quick end was a short look.
  private static func opensInTerminal(_ line: String) -> Bool {
    let program = line.split(separator: " ").first?.split(separator: "/").last ?? ""
    return ["vi", "vim", "nvim", "nano", "pico", "micro", "hx", "helix", "joe", "ne", "mcedit"]
      .contains(program)
  }

  static func attend(
    _ path: EntryPath, of journal: Journal, line: Int? = nil, began: Bool, _ common: CommonOptions
  ) async throws {
    // Ctrl-C belongs to the editor; a handler (unlike ignoring) is not inherited by it.
    signal(SIGINT) { _ in }
    signal(SIGQUIT) { _ in }
    defer {
      signal(SIGINT, SIG_DFL)
      signal(SIGQUIT, SIG_DFL)
    }
    switch try await journal.edit(path, line: line, began: began) {
    case .blank: common.remark("The entry stayed blank and was removed.")
    case .editorForked(let path):
      Console.say(Console.shown(journal.root + "/" + path.text))
      if !began, opensInTerminal(journal.editor ?? "") { return }
      common.remark(
        "diary: the editor came back at once, and the file is as it was\n"
          + "hint: if it opened a window of its own, use one that waits: `editor: code --wait`; "
          + "`diary watch` or `diary save` saves what you write")
    case .written(let path, let outcome):
      SaveReport.tell(outcome, common)
      Console.say(Console.shown(journal.root + "/" + path.text))
    }
  }
}
