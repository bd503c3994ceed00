import ArgumentParser
import DiaryKit
import Localization

/// What the writer typed, made ready for the parser: options may stand before the command, texts may
/// begin with a dash (`-5도였다`), a first word may be a day, and an unknown one is an unknown command,
/// not an argument of `list`.
enum ArgumentPreprocessor {
  static let commands = DiaryCommand.configuration.subcommands
    .compactMap { $0.configuration.commandName }
  static let weatherCommands = WeatherCommand.configuration.subcommands.map { $0._commandName }

  static func prepared(_ words: [String]) throws -> [String] {
    let (options, rest) = leading(words[...], OptionTable.of["list"])
    guard let command = rest.first, command.first != "-" else {
      if let word = rest.first, let table = OptionTable.of["list"], !isForParser(word) {
        try table.checkIsNoOption(word, "list")
      }
      let asksRoot = options.contains { ["--help", "-h", "--version"].contains($0) }
      if asksRoot || options.isEmpty || !rest.isEmpty { return words }
      return ["list"] + (try separated(words, "list"))
    }
    if command == "help" { return ["help"] + (try known(Array(rest.dropFirst()))) }
    guard commands.contains(command) else {
      guard let meant = NaturalWords.command(options, Array(rest)) else { throw unknown(command) }
      return [meant[0]] + (try separated(Array(meant.dropFirst()), meant[0]))
    }
    if command == "weather" { return try weather(options, rest.dropFirst()) }
    return [command] + (try separated(options + rest.dropFirst(), command))
  }

  /// `weather` and its own commands; alone it is `weather now`.
  private static func weather(_ options: [String], _ words: ArraySlice<String>) throws -> [String] {
    let (more, rest) = leading(words, OptionTable.of["weather now"])
    guard let command = rest.first, command.first != "-" else {
      return ["weather"] + (try separated(options + words, "weather now"))
    }
    if command == "help" { return ["help", "weather"] }
    guard weatherCommands.contains(command) else { throw unknown(command, after: "weather") }
    return ["weather", command]
      + (try separated(options + more + rest.dropFirst(), "weather " + command))
  }

  /// The commands that `help` is asked about.
  private static func known(_ words: [String]) throws -> [String] {
    guard let command = words.first, command.first != "-" else { return words }
    guard commands.contains(command) else { throw unknown(command) }
    if command == "weather", words.count > 1, !weatherCommands.contains(words[1]) {
      throw unknown(words[1], after: command)
    }
    return words
  }

  /// The options that stand before the first other word.
  private static func leading(
    _ words: ArraySlice<String>, _ table: OptionTable?
  ) -> (options: [String], rest: ArraySlice<String>) {
    var options: [String] = []
    var rest = words
    while let word = rest.first, let table,
      let argumentCount = table.isWithoutEffect(word) ? 1 : table.argumentCount(word),
      argumentCount <= rest.count
    {
      options += rest.prefix(argumentCount)
      rest = rest.dropFirst(argumentCount)
    }
    return (options, rest)
  }

  /// Options that the parser itself knows, for scripts of completions.
  private static func isForParser(_ word: String) -> Bool {
    ["--generate-completion-script", "--experimental-dump-help", "--help-hidden"]
      .contains(String(word.prefix { $0 != "=" }))
  }

  /// Known options first, then `--`, then everything that is text. A word that looks like an option
  /// and is none of this command's is refused wherever it stands before `--`.
  private static func separated(_ words: [String], _ command: String) throws -> [String] {
    guard let table = OptionTable.of[command] else { return words }
    var options: [String] = []
    var texts: [String] = []
    var rest = words[...]
    while let word = rest.first, word != "--" {
      let argumentCount =
        word == "--version" && words.count > 1 ? 0 : table.argumentCount(word) ?? 0
      if argumentCount == 0, table.isWithoutEffect(word) {
        rest = rest.dropFirst()
        continue
      }
      if argumentCount == 0 {
        try table.checkIsNoOption(word, command)
        texts.append(word)
      }
      if argumentCount == 2 { try table.checkValue(rest.dropFirst().first, of: word, command) }
      options += rest.prefix(argumentCount)
      rest = rest.dropFirst(max(1, argumentCount))
    }
    guard table.takesText else { return options + texts + rest }
    texts += rest.dropFirst()
    return options + (texts.isEmpty ? [] : ["--"] + texts)
  }
}

extension ArgumentPreprocessor {
  private static func unknown(_ word: String, after command: String? = nil) -> DiaryError {
    let start = command.map { $0 + " " } ?? ""
    let meant =
      Suggestions.command(for: word, among: command == nil ? commands : weatherCommands).map {
        start + $0
      }
      ?? (command == nil ? Suggestions.line(for: word) : nil)
    let guess = meant.map { localized("did you mean `diary \($0)`? ") } ?? ""
    let help = localized("`diary help\(command.map { " " + $0 } ?? "")` lists all commands")
    return DiaryError(
      localized("unknown command \"\(start)\(word)\""), kind: .usage, hint: guess + help)
  }
}
