import ArgumentParser

/// Prepares the arguments for the parser: options may come before the command, texts may begin with
/// a dash (`-5도였다`), and the first word may be a day. An unknown first word is an unknown command,
/// not an argument of `list`.
enum ArgumentPreprocessor {
  static let commands = DiaryCommand.configuration.subcommands
    .compactMap { $0.configuration.commandName }
  /// The commands that have subcommands, with those, the default one first.
  static let groups = [
    "weather": WeatherCommand.configuration.subcommands,
    "key": KeyCommand.configuration.subcommands,
  ].mapValues { $0.map { $0._commandName } }

  static func parserArguments(for words: [String]) throws -> [String] {
    let (options, rest) = leadingOptions(words[...], OptionTable.byCommand["list"])
    guard let command = rest.first, command.first != "-" else {
      if let word = rest.first, let table = OptionTable.byCommand["list"], !isParserOption(word) {
        try table.checkIsNoOption(word, "list")
        if word.dropFirst().allSatisfy(\.isNumber),
          let error = UnknownCommand.error(unexpected: Array(rest), "list", table)
        {
          throw error
        }
      }
      let asksRoot = options.contains { ["--help", "-h", "--version"].contains($0) }
      if asksRoot || options.isEmpty || !rest.isEmpty { return words }
      return ["list"] + (try orderedArguments(words, "list"))
    }
    if command == "help" { return ["help"] + (try helpArguments(Array(rest.dropFirst()))) }
    guard commands.contains(command) else {
      guard let arguments = ImplicitCommand.arguments(options, Array(rest)) else {
        throw UnknownCommand.error(Array(rest))
      }
      return [arguments[0]] + (try orderedArguments(Array(arguments.dropFirst()), arguments[0]))
    }
    if let verbs = groups[command] {
      return try groupArguments(command, verbs, options, rest.dropFirst())
    }
    return [command] + (try orderedArguments(options + rest.dropFirst(), command))
  }

  /// Prepares a subcommand: `weather` alone is `weather now`.
  private static func groupArguments(
    _ group: String, _ verbs: [String], _ options: [String], _ words: ArraySlice<String>
  ) throws -> [String] {
    let preset = "\(group) \(verbs[0])"
    let (more, rest) = leadingOptions(words, OptionTable.byCommand[preset])
    guard let command = rest.first, command.first != "-" else {
      return [group] + (try orderedArguments(options + words, preset))
    }
    if command == "help" { return ["help", group] }
    guard verbs.contains(command) else {
      throw UnknownCommand.error(command, after: group, among: verbs)
    }
    return [group, command]
      + (try orderedArguments(options + more + rest.dropFirst(), "\(group) \(command)"))
  }

  /// The arguments of `help`; throws if they name an unknown command.
  private static func helpArguments(_ words: [String]) throws -> [String] {
    guard let command = words.first, command.first != "-" else { return words }
    if command == "help" { return [] }
    guard commands.contains(command) else { throw UnknownCommand.error([command]) }
    if let verbs = groups[command], words.count > 1, !verbs.contains(words[1]) {
      throw UnknownCommand.error(words[1], after: command, among: verbs)
    }
    return words
  }

  /// Splits off the options before the first word that is not an option.
  private static func leadingOptions(
    _ words: ArraySlice<String>, _ table: OptionTable?
  ) -> (options: [String], rest: ArraySlice<String>) {
    var options: [String] = []
    var remaining = words
    while let word = remaining.first, let table,
      let argumentCount = table.isWithoutEffect(word) ? 1 : table.argumentCount(word),
      argumentCount <= remaining.count
    {
      options += remaining.prefix(argumentCount)
      remaining = remaining.dropFirst(argumentCount)
    }
    return (options, remaining)
  }

  /// True for options that the parser itself handles, such as those for completion scripts.
  private static func isParserOption(_ word: String) -> Bool {
    ["--generate-completion-script", "--experimental-dump-help", "--help-hidden"]
      .contains(String(word.prefix { $0 != "=" }))
  }

  /// Sorts the words: known options first, then `--`, then all text. Throws if a word before `--`
  /// looks like an option but is not one of this command.
  private static func orderedArguments(_ words: [String], _ command: String) throws -> [String] {
    guard let table = OptionTable.byCommand[command] else { return words }
    var options: [String] = []
    var texts: [String] = []
    var remaining = words[...]
    while let word = remaining.first, word != "--" {
      let argumentCount =
        word == "--version" && words.count > 1 ? 0 : table.argumentCount(word) ?? 0
      if argumentCount == 0, table.isWithoutEffect(word) {
        remaining = remaining.dropFirst()
        continue
      }
      if argumentCount == 0 {
        try table.checkIsNoOption(word, command)
        texts.append(word)
      }
      if argumentCount == 2 { try table.checkValue(remaining.dropFirst().first, of: word, command) }
      options += remaining.prefix(argumentCount)
      remaining = remaining.dropFirst(max(1, argumentCount))
    }
    guard table.takesText else {
      if !texts.isEmpty, let error = UnknownCommand.error(unexpected: texts, command, table) {
        throw error
      }
      return options + texts + remaining
    }
    texts += remaining.dropFirst()
    return options + (texts.isEmpty ? [] : ["--"] + texts)
  }
}
