import DiaryCore
import DiaryKit
import Localization

/// The errors for words that are no command or that a command does not take, with the command line
/// that was probably meant.
enum UnknownCommand {
  /// The error for a command line that begins with no command.
  static func error(_ words: [String]) -> DiaryError {
    let word = words.first ?? ""
    let help = localized("`diary help all` lists all commands")
    func error(_ hint: String) -> DiaryError {
      DiaryError(localized("unknown command \"\(word)\""), kind: .usage, hint: hint)
    }
    let line = words.joined(separator: " ")
    let day = String(line.prefix { $0 != ":" })
    if let month = DateExpression.monthWithoutDay(day, read: ImplicitCommand.dateExpression) {
      return DiaryError(
        localized("\"\(day)\" is not a date"), kind: .usage,
        hint: UserLocale().lengthText(of: month))
    }
    if line.hasPrefix(day + ": "), case .days(let days)? = ImplicitCommand.dateExpression(day),
      !days.isOneDay
    {
      return DiaryError.longDate(day)
    }
    let text = words.map { shellWord($0) }.joined(separator: " ")
    let writing = localized("to write it: `diary add \(text)`")
    if words.count > 2, word.first?.isUppercase == true { return error(writing) }
    if let written = lineWithColon(words) {
      return error(localized("a text needs a colon: `diary \(written)`"))
    }
    if word.hasSuffix(":"), words.count > 1 {
      let name = shellWord(String(word.dropLast()))
      let rest = words.dropFirst().map { shellWord($0) }.joined(separator: " ")
      return error(
        localized("if \"\(name)\" is a journal: `diary -j \(name) add \(rest)`; \(writing)"))
    }
    if ["decrypt", "password", "암호화", "암호"].contains(word.lowercased()) {
      return error(
        localized(
          "`diary encrypt` encrypts the files here, with a password; "
            + "`diary init --remote URL --sealed` encrypts what leaves them"))
    }
    if let question = Suggestions.question(for: word, among: ArgumentPreprocessor.commands) {
      return error(question + help)
    }
    if words.count > 1 { return error(writing) }
    if word.contains(where: \.isWhitespace) {
      return error(localized("did you mean `diary new \(text)`? ") + help)
    }
    return error(localized("in the texts: `diary search \(text)`; \(help)"))
  }

  /// The error for an unknown subcommand of a command.
  static func error(_ word: String, after command: String, among subcommands: [String])
    -> DiaryError
  {
    DiaryError(
      localized("unknown command \"\(command) \(word)\""), kind: .usage,
      hint: (Suggestions.question(for: word, among: subcommands, after: command + " ") ?? "")
        + localized("`diary help \(command)` lists its commands"))
  }

  /// `today: was nice` for `today was nice`, with the longest day at the beginning.
  private static func lineWithColon(_ words: [String]) -> String? {
    for count in stride(from: min(words.count - 1, 6), to: 0, by: -1) {
      let day = words.prefix(count).joined(separator: " ")
      // `sun` and `sat` are other words, too.
      if day.utf8.count < 4 || !ImplicitCommand.isSingleDay(ImplicitCommand.dateExpression(day)) {
        continue
      }
      return day + ": " + words.dropFirst(count).map { shellWord($0) }.joined(separator: " ")
    }
    return nil
  }

  /// The error for words after a command that takes none, such as `list today` or `list -3`; `nil`
  /// if the parser's error is as good.
  static func error(unexpected words: [String], _ command: String, _ table: OptionTable)
    -> DiaryError?
  {
    let line = words.joined(separator: " ")
    let digits = line.hasPrefix("-") ? line.dropFirst() : line[...]
    let meant: String
    if let count = Int(digits), count > 0, table.has("-n") {
      meant = "\(command) -n \(count)"
    } else if table.has("--on"), case .days? = ImplicitCommand.dateExpression(line) {
      meant = "\(command) --on \(shellWord(line))"
    } else if ["all", "모두", "전체"].contains(line.lowercased()) {
      meant = command
    } else if command == "list", let first = words.first, first.hasPrefix("-"),
      let count = Int(first.dropFirst()), count > 0
    {
      // As jrnl has it: `-1 --edit`.
      guard let verb = ["--edit": "edit", "--delete": "delete"][words[1]] else { return nil }
      meant = verb + (count == 1 ? " 1" : " 1..\(count)")
    } else if command == "list" {
      meant = "search " + words.map { shellWord($0) }.joined(separator: " ")
    } else {
      return nil
    }
    return DiaryError(
      localized("unexpected argument '\(words.first ?? "")'"), kind: .usage,
      hint: localized("did you mean `diary \(meant)`? ")
        + localized("`diary \(command) --help` lists its options"))
  }

  /// The question that names a missing argument, and an example, by the command; `nil` for a command
  /// that needs none.
  static func missingArgument(of command: String) -> String? {
    switch command {
    case "history": localized("which entry? `diary \(command) 1`")
    case "rename": localized("which entry, and what is its new title? `diary rename 1 TITLE`")
    case "search": localized("search for what? `diary search soup`")
    case "export": localized("say where to: `diary export diary.json`")
    case "import": localized("say from where: `diary import export.zip`")
    case "clone": localized("say from where: `diary clone URL`")
    case "weather on": localized("the weather of which place? `diary weather on Seoul`")
    case "weather stamp": localized("which entry? `diary \(command) 1`")
    default: nil
    }
  }
}
