import ArgumentParser
import DiaryCore
import DiaryKit
import Glibc
import Localization

extension Console {
  /// Ends the process as the error demands: its sentence, facts and hint, and the exit code.
  static func terminate(with error: any Error) -> Never {
    if let interruption = error as? Interruption {
      printError(DiaryError(localized("interrupted; nothing was written")))
      interruption.endProcess()
    }
    if let error = error as? DiaryError {
      printError(error)
      exit(code(of: error.kind))
    }
    let code = DiaryCommand.exitCode(for: error)
    if code == .success || error is ExitCode { DiaryCommand.exit(withError: error) }
    if code == .validationFailure {
      printError(usageError(DiaryCommand.fullMessage(for: error)))
      exit(ExitCode.validationFailure.rawValue)
    }
    let diaryError = DiaryError(error)
    printError(diaryError)
    exit(self.code(of: diaryError.kind))
  }

  /// What the parser says of wrong words, in the form of every other error.
  static func usageError(_ message: String) -> DiaryError {
    let lines = message.split(separator: "\n")
    var reason = String(lines.first ?? "")
    if reason.hasPrefix("Error: ") { reason.removeFirst("Error: ".count) }
    reason = reason.prefix(1).lowercased() + reason.dropFirst()
    // More than five values of an option come a line each.
    let values = lines.filter { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
    if !values.isEmpty { reason += " " + values.joined(separator: ", ") }
    // "  See 'diary list --help' for more information."
    let help = lines.last { $0.hasPrefix("  See '") }?.split(separator: "'").dropFirst().first
    return DiaryError(
      reason, kind: .usage, hint: localized("`\(help ?? "diary --help")` lists its options"))
  }

  /// Prints an error as the reader sees it.
  static func printError(_ error: DiaryError) {
    write(text(of: error, isStyled: hasColouredErrors) + "\n", to: STDERR_FILENO)
  }

  /// What, the facts, what to do next; nothing in it steers but the styles.
  static func text(of error: DiaryError, isStyled: Bool) -> String {
    func mark(_ word: String, _ style: Style) -> String {
      isStyled ? "\u{1B}[\(style.rawValue)m\(word)\u{1B}[0m" : word
    }
    var lines = [mark("diary:", .bad) + " " + terminalText(error.message)]
    lines += EntryTable.plainLines(error.entries).map { "  " + terminalText($0) }
    lines += error.details.map { "  " + terminalText($0) }
    if let hint = error.hint {
      lines.append(mark(localized("hint:"), .bold) + " " + terminalText(hint))
    }
    return lines.joined(separator: "\n")
  }

  private static let hasColouredErrors =
    isatty(STDERR_FILENO) == 1 && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty

  private static func code(of kind: DiaryError.Kind) -> Int32 {
    switch kind {
    case .failed: 1
    case .nothingFound: 2
    case .usage: 64
    }
  }
}
