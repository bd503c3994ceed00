import DiaryCore
import Foundation
import Glibc
import Localization

/// The user's editor: a shell line, and the known properties of its program.
package struct EditorCommand: Sendable, Equatable {
  /// The syntax in which an editor accepts the line at which to open a file.
  private enum LineArgument { case plus, colon, goto }

  private static let lineArguments: [String: LineArgument] = {
    let plus = [
      "vi", "vim", "nvim", "view", "gvim", "mvim", "nano", "emacs", "emacsclient", "micro", "joe",
      "jmacs", "jstar", "jpico", "kak", "ne", "mg", "mcedit", "gedit",
    ]
    let colon = ["hx", "helix", "subl", "zed"]
    let goto = ["code", "code-insiders", "code-oss", "codium", "cursor"]
    return Dictionary(
      uniqueKeysWithValues: plus.map { ($0, .plus) } + colon.map { ($0, .colon) }
        + goto.map { ($0, .goto) })
  }()

  /// Editors that return at once unless told to wait, and the options that make them wait.
  private static let waitOptions: [String: [String]] = [
    "gvim": ["-f", "--nofork"], "mvim": ["-f", "--nofork"], "gedit": ["-w", "--wait"],
    "subl": ["-w", "--wait"], "zed": ["-w", "--wait"], "code": ["-w", "--wait"],
    "code-insiders": ["-w", "--wait"], "code-oss": ["-w", "--wait"], "codium": ["-w", "--wait"],
    "cursor": ["-w", "--wait"],
  ]

  /// Terminal editors that accept no line, or whose line argument is not known.
  private static let otherTerminalEditors: Set = [
    "pico", "ed", "vile", "elvis", "nvi", "busybox", "sensible-editor",
  ]

  /// The shell line from the settings or the environment.
  package let shellLine: String
  /// The name of the program that is started.
  private let program: String

  /// Creates an editor from its shell line; `locate` finds a program on the path.
  init(_ shellLine: String, locate: (String) -> String?) {
    self.shellLine = shellLine
    let words = shellLine.split(separator: " ").drop {
      $0.contains("=") || $0 == "env" || $0 == "exec"
    }
    let first = words.first.map(String.init) ?? ""
    let name = (first as NSString).lastPathComponent
    // `editor` and `vi` are links to the system's default; `vim.basic` is vim.
    let target = (first.contains("/") ? first : locate(first)).flatMap { realpath($0, nil) }
    defer { free(target) }
    let real = target.map { (String(cString: $0) as NSString).lastPathComponent } ?? name
    let plain = real.prefix { $0 != "." }
    program = Self.isKnown(String(plain)) ? String(plain) : name
  }

  private static func isKnown(_ name: String) -> Bool {
    lineArguments[name] != nil || otherTerminalEditors.contains(name)
  }

  /// True if the program is known to run until the user has closed the file.
  var isBlocking: Bool {
    guard let words = Self.waitOptions[program] else { return Self.isKnown(program) }
    return shellLine.split(separator: " ").contains { words.contains(String($0)) }
  }

  /// The arguments that open a file at a line.
  func arguments(opening path: String, at line: Int) -> [String] {
    guard line > 1 else { return [path] }
    return switch Self.lineArguments[program] {
    case .plus: ["+\(line)", path]
    case .colon: ["\(path):\(line)"]
    case .goto: ["--goto", "\(path):\(line)"]
    case nil: [path]
    }
  }
}

extension Journal {
  /// The editor from the settings, else `$VISUAL`, else `$EDITOR`, else git's own; on a terminal
  /// also one that is found on the path. `nil` if there is none.
  package func editor(onTerminal: Bool) async -> EditorCommand? {
    let variables = environment.variables
    let set = [settings.editor, variables["VISUAL"], variables["EDITOR"]].compactMap(\.self)
      .first { !$0.allSatisfy(\.isWhitespace) }
    if let set { return EditorCommand(set, locate: programs.path(of:)) }
    if let gits = await gitEditor() { return EditorCommand(gits, locate: programs.path(of:)) }
    guard onTerminal else { return nil }
    return ["editor", "nano", "vim", "vi"].first(where: programs.isOnPath)
      .map { EditorCommand($0, locate: programs.path(of:)) }
  }

  /// `core.editor` of the user's global git configuration. A repository's configuration is not
  /// used: it may have been copied from elsewhere, and must start no program.
  private func gitEditor() async -> String? {
    let asked = try? await programs.run(
      ["git", "config", "--global", "--get", "core.editor"], input: [], timeout: 5, ownSession: true
    )
    guard let asked, asked.status == 0 else { return nil }
    let line = String(decoding: asked.output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return line.isEmpty ? nil : line
  }
}

extension DiaryError {
  /// An error for a missing editor; `otherwise` names the alternative.
  package static func noEditor(onTerminal: Bool, otherwise: String) -> DiaryError {
    onTerminal
      ? DiaryError(
        localized("no editor found: none is set, and nano, vim and vi are not installed"),
        hint: localized("install one (Debian: `sudo apt install nano`), or \(otherwise)"))
      : DiaryError(
        localized("no editor is set"),
        hint: localized("set $EDITOR (`export EDITOR=nano`), or \(otherwise)"))
  }
}
