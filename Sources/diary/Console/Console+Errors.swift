import ArgumentParser
import DiaryCore
import DiaryKit
import Glibc

extension Console {
  /// Ends the process as the error demands: its sentence, facts and hint, and the exit code.
  static func end(with error: any Error) -> Never {
    if let error = error as? DiaryError {
      note(text(of: error))
      exit(code(of: error.kind))
    }
    let code = DiaryCommand.exitCode(for: error)
    if code == .success || error is ExitCode { DiaryCommand.exit(withError: error) }
    if code == .validationFailure {
      note(text(of: refused(DiaryCommand.fullMessage(for: error))))
      exit(ExitCode.validationFailure.rawValue)
    }
    let known = DiaryError(error)
    note(text(of: known))
    exit(self.code(of: known.kind))
  }

  /// What the parser says of wrong words, in the form of every other error.
  static func refused(_ message: String) -> DiaryError {
    let lines = message.split(separator: "\n")
    var what = String(lines.first ?? "")
    if what.hasPrefix("Error: ") { what.removeFirst("Error: ".count) }
    what = what.prefix(1).lowercased() + what.dropFirst()
    // "  See 'diary list --help' for more information."
    let help = lines.last { $0.hasPrefix("  See '") }?.split(separator: "'").dropFirst().first
    return DiaryError(
      what, kind: .usage, hint: "`\(help ?? "diary --help")` tells what it takes")
  }

  /// An error as the reader sees it: what, the facts, what to do next.
  static func text(of error: DiaryError) -> String {
    var lines = [styledError("diary:", .bad) + " " + shownError(error.what)]
    lines += error.details.map { "  " + shownError($0) }
    if let hint = error.hint { lines.append(styledError("hint:", .bold) + " " + shownError(hint)) }
    return lines.joined(separator: "\n")
  }

  private static let errorsAreColoured =
    isatty(STDERR_FILENO) == 1 && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty

  private static func styledError(_ text: String, _ style: Style) -> String {
    errorsAreColoured ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  private static func shownError(_ text: String) -> String {
    isatty(STDERR_FILENO) == 1 ? terminalSafe(text) : text
  }

  private static func code(of kind: DiaryError.Kind) -> Int32 {
    switch kind {
    case .failed: 1
    case .nothingFound: 2
    case .usage: 64
    }
  }
}
