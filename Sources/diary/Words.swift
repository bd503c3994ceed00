import ArgumentParser
import DiaryKit

/// What the writer typed, made ready for the parser: options may stand before the verb, texts may
/// begin with a dash (`-5도였다`), and an unknown first word is an unknown verb, not an argument of
/// `list`.
enum Words {
  static let verbs = DiaryCommand.configuration.subcommands
    .compactMap { $0.configuration.commandName }
  static let weatherVerbs = WeatherCommand.configuration.subcommands.map { $0._commandName }

  static func prepared(_ words: [String]) throws -> [String] {
    let (options, rest) = leading(words[...], VerbOptions.of["list"])
    guard let verb = rest.first, verb.first != "-" else {
      let asksRoot = options.contains { ["--help", "-h", "--version"].contains($0) }
      return asksRoot || options.isEmpty || !rest.isEmpty ? words : ["list"] + words
    }
    if verb == "help" { return ["help"] + (try known(Array(rest.dropFirst()))) }
    guard verbs.contains(verb) else { throw unknown(verb) }
    if verb == "weather" { return try weather(options, rest.dropFirst()) }
    return [verb] + (try separated(options + rest.dropFirst(), verb))
  }

  /// `weather` and its own verbs; alone it is `weather now`.
  private static func weather(_ options: [String], _ words: ArraySlice<String>) throws -> [String] {
    let (more, rest) = leading(words, VerbOptions.of["weather now"])
    guard let verb = rest.first, verb.first != "-" else { return ["weather"] + options + words }
    if verb == "help" { return ["help", "weather"] }
    guard weatherVerbs.contains(verb) else { throw unknown(verb, after: "weather") }
    return ["weather", verb]
      + (try separated(options + more + rest.dropFirst(), "weather " + verb))
  }

  /// The verbs that `help` is asked about.
  private static func known(_ words: [String]) throws -> [String] {
    guard let verb = words.first, verb.first != "-" else { return words }
    guard verbs.contains(verb) else { throw unknown(verb) }
    if verb == "weather", words.count > 1, !weatherVerbs.contains(words[1]) {
      throw unknown(words[1], after: verb)
    }
    return words
  }

  /// The options that stand before the first other word.
  private static func leading(
    _ words: ArraySlice<String>, _ table: VerbOptions?
  ) -> (options: [String], rest: ArraySlice<String>) {
    var options: [String] = []
    var rest = words
    while let word = rest.first, let taken = table?.taken(word), taken <= rest.count {
      options += rest.prefix(taken)
      rest = rest.dropFirst(taken)
    }
    return (options, rest)
  }

  /// Known options first, then `--`, then everything that is text.
  private static func separated(_ words: [String], _ verb: String) throws -> [String] {
    guard let table = VerbOptions.of[verb], table.takesText else { return words }
    var options: [String] = []
    var texts: [String] = []
    var rest = words[...]
    while let word = rest.first {
      if word == "--" {
        texts += rest.dropFirst()
        break
      }
      let taken = table.taken(word) ?? 0
      guard taken <= rest.count else {
        throw DiaryError(
          "missing value for '\(word)'", kind: .usage,
          hint: "`diary \(verb) --help` tells what it takes")
      }
      if taken == 0 {
        if table.isMistaken(word, isFirst: texts.isEmpty) { throw table.mistake(word, verb) }
        texts.append(word)
      }
      options += rest.prefix(taken)
      rest = rest.dropFirst(max(1, taken))
    }
    return options + (texts.isEmpty ? [] : ["--"] + texts)
  }
}

extension Words {
  /// What other programs call it.
  private static let otherNames = [
    "ls": "list", "cat": "show", "view": "show", "open": "edit", "find": "search",
    "grep": "search", "rm": "delete", "remove": "delete", "mv": "rename", "move": "rename",
    "write": "new", "create": "new", "append": "add", "commit": "save", "autosave": "watch",
    "lint": "check", "reindex": "index",
  ]

  private static func unknown(_ word: String, after verb: String? = nil) -> DiaryError {
    let all = verb == nil ? verbs : weatherVerbs
    let near = (verb == nil ? otherNames[word] : nil) ?? nearest(word, of: all)
    let start = "diary " + (verb.map { $0 + " " } ?? "")
    let guess = near.map { "did you mean `\(start)\($0)`? " } ?? ""
    let help = "`diary help\(verb.map { " " + $0 } ?? "")` lists them"
    return DiaryError(
      "there is no verb \"\(start.dropFirst(6))\(word)\"", kind: .usage, hint: guess + help)
  }

  /// The nearest of the words, if it is near enough to be meant.
  static func nearest(_ word: String, of all: some Sequence<String>) -> String? {
    let best = all.map { ($0, distance(word, $0)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
    return best.flatMap { $0.1 <= max(1, word.count / 3) ? $0.0 : nil }
  }

  /// Levenshtein's distance, for telling a typing error.
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (i, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in right.indices {
        let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (character == right[j] ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[right.count]
  }
}
