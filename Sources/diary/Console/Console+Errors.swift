import ArgumentParser
import DiaryCore
import DiaryKit
import Glibc
import Localization

extension Console {
  /// Prints the error with its details and hint, and exits with its exit code.
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
    if error is ExitCode { DiaryCommand.exit(withError: error) }
    if code == .success {
      print(DailyHelp.localizedHelp(DiaryCommand.fullMessage(for: error)))
      exit(0)
    }
    if code == .validationFailure {
      printError(usageError(DiaryCommand.fullMessage(for: error)))
      exit(ExitCode.validationFailure.rawValue)
    }
    let diaryError = DiaryError(error)
    printError(diaryError)
    exit(self.code(of: diaryError.kind))
  }

  /// Converts the parser's message about invalid arguments to the form of every other error.
  static func usageError(_ message: String) -> DiaryError {
    let lines = message.split(separator: "\n")
    var reason = String(lines.first ?? "")
    if reason.hasPrefix("Error: ") { reason.removeFirst("Error: ".count) }
    reason = reason.prefix(1).lowercased() + reason.dropFirst()
    // The parser prints more than five values of an option on lines of their own.
    let values = lines.filter { $0.hasPrefix("  - ") }.map { $0.dropFirst(4) }
    if !values.isEmpty { reason += " " + values.joined(separator: ", ") }
    // "  See 'diary list --help' for more information."
    let help = lines.last { $0.hasPrefix("  See '") }?.split(separator: "'").dropFirst().first
    let hint = localized("`\(help ?? "diary --help")` lists its options")
    let words = help?.split(separator: " ").dropFirst().prefix { !$0.hasPrefix("-") } ?? []
    let command = words.joined(separator: " ")
    if reason.hasPrefix("missing expected argument"),
      let question = UnknownCommand.missingArgument(of: command)
    {
      return DiaryError(question, kind: .usage, hint: hint)
    }
    return DiaryError(localizedReason(reason), kind: .usage, hint: hint)
  }

  /// The parser's sentence about a value that an option does not take, in the user's language.
  private static func localizedReason(_ reason: String) -> String {
    let form =
      #/the value '(.*)' is invalid for '(.+?)'(?:\. Please provide one of the following: (.+))?/#
    guard let match = reason.wholeMatch(of: form) else { return reason }
    let (value, option) = (String(match.1), String(match.2))
    guard let values = match.3 else {
      return localized("the value '\(value)' is invalid for '\(option)'")
    }
    return localized(
      "the value '\(value)' is invalid for '\(option)', which takes one of: \(String(values))")
  }

  /// Prints an error on standard error.
  static func printError(_ error: DiaryError) {
    write(text(of: error, isStyled: hasColouredErrors) + "\n", to: STDERR_FILENO)
  }

  /// The message, the details and the hint. Control characters are escaped, except the styles.
  static func text(of error: DiaryError, isStyled: Bool) -> String {
    func mark(_ word: String, _ style: Style) -> String {
      isStyled ? "\u{1B}[\(style.rawValue)m\(word)\u{1B}[0m" : word
    }
    var lines = [mark("diary:", .bad) + " " + terminalText(error.message)]
    lines += EntryTable.plainLines(error.entries).map { "  " + terminalText($0) }
    lines += error.details.map { "  " + terminalText(namingJournal($0)) }
    if let hint = error.hint {
      lines.append(mark(localized("hint:"), .bold) + " " + terminalText(namingJournal(hint)))
    }
    return lines.joined(separator: "\n")
  }

  private static let hasColouredErrors =
    isatty(STDERR_FILENO) == 1 && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty

  private static func code(of kind: DiaryError.Kind) -> Int32 {
    switch kind {
    case .failed: 1
    case .nothingFound: 2
    case .locked: 3
    case .usage: 64
    }
  }
}
