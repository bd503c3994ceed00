import ArgumentParser
import DiaryCore
import DiaryKit
import Glibc
import Localization

extension Console {
  /// Ends the process as the error demands: its sentence, facts and hint, and the exit code.
  static func end(with error: any Error) -> Never {
    if let interruption = error as? Interruption {
      tell(DiaryError(localized("interrupted; nothing was written")))
      interruption.end()
    }
    if let error = error as? DiaryError {
      tell(error)
      exit(code(of: error.kind))
    }
    let code = DiaryCommand.exitCode(for: error)
    if code == .success || error is ExitCode { DiaryCommand.exit(withError: error) }
    if code == .validationFailure {
      tell(refused(DiaryCommand.fullMessage(for: error)))
      exit(ExitCode.validationFailure.rawValue)
    }
    let known = DiaryError(error)
    tell(known)
    exit(self.code(of: known.kind))
  }

  /// What the parser says of wrong words, in the form of every other error.
  static func refused(_ message: String) -> DiaryError {
    let lines = message.split(separator: "\n")
    var what = String(lines.first ?? "")
    if what.hasPrefix("Error: ") { what.removeFirst("Error: ".count) }
    what = what.prefix(1).lowercased() + what.dropFirst()
    // More than five values of an option come a line each.
    let values = lines.filter { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
    if !values.isEmpty { what += " " + values.joined(separator: ", ") }
    // "  See 'diary list --help' for more information."
    let help = lines.last { $0.hasPrefix("  See '") }?.split(separator: "'").dropFirst().first
    return DiaryError(
      what, kind: .usage, hint: localized("`\(help ?? "diary --help")` lists its options"))
  }

  /// Prints an error as the reader sees it.
  static func tell(_ error: DiaryError) {
    write(text(of: error, isStyled: errorsAreColoured) + "\n", to: STDERR_FILENO)
  }

  /// What, the facts, what to do next; nothing in it steers but the styles.
  static func text(of error: DiaryError, isStyled: Bool) -> String {
    func mark(_ word: String, _ style: Style) -> String {
      isStyled ? "\u{1B}[\(style.rawValue)m\(word)\u{1B}[0m" : word
    }
    var lines = [mark("diary:", .bad) + " " + terminalSafe(error.what)]
    lines += EntryTable.plainLines(error.entries).map { "  " + terminalSafe($0) }
    lines += error.details.map { "  " + terminalSafe($0) }
    if let hint = error.hint {
      lines.append(mark(localized("hint:"), .bold) + " " + terminalSafe(hint))
    }
    return lines.joined(separator: "\n")
  }

  private static let errorsAreColoured =
    isatty(STDERR_FILENO) == 1 && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty

  private static func code(of kind: DiaryError.Kind) -> Int32 {
    switch kind {
    case .failed: 1
    case .nothingFound: 2
    case .usage: 64
    }
  }
}
