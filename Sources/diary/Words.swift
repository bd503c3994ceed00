import ArgumentParser
import DiaryKit

/// What the writer typed, made ready for the parser: texts may begin with a dash (`-5도였다`), and an
/// unknown first word is an unknown verb, not an argument of `list`.
enum Words {
  static let verbs = DiaryCommand.configuration.subcommands
    .compactMap { $0.configuration.commandName }

  static func prepared(_ words: [String]) throws -> [String] {
    guard let at = words.firstIndex(where: { !$0.hasPrefix("-") }), !isValue(words, at) else {
      return words
    }
    let verb = words[at]
    guard verbs.contains(verb) || verb == "help" else { throw unknown(verb) }
    guard let table = textVerbs[verb] else { return words }
    let rest = words[(at + 1)...]
    return Array(words[...at]) + separated(rest, table)
  }

  /// Whether the word at `index` is the value of the option before it (`--journal DIR`).
  private static func isValue(_ words: [String], _ index: Int) -> Bool {
    index > 0 && ["--journal"].contains(words[index - 1])
      && !words[(index + 1)...].contains { verbs.contains($0) }
  }

  private static func unknown(_ verb: String) -> DiaryError {
    let near = verbs.map { ($0, distance(verb, $0)) }.min { $0.1 < $1.1 }
    let hint = near.flatMap { $0.1 <= 3 ? "did you mean `diary \($0.0)`? " : nil } ?? ""
    return DiaryError(
      "there is no verb \"\(verb)\"", kind: .usage, hint: hint + "`diary help` lists them")
  }

  /// Verbs that take free text, with their flags and the options that take a value.
  static let textVerbs: [String: (flags: Set<String>, values: Set<String>)] = [
    "new": (
      global.flags,
      global.values.union([
        "--message", "-m", "--date", "--tag", "--template", "--place", "--attach",
      ])
    ),
    "add": (global.flags.union(["--time"]), global.values.union(["--to"])),
    "rename": global,
    "search": (
      global.flags.union(["--regex", "--json", "--paths", "-0", "--reverse"]),
      global.values.union(["-n", "--since", "--until", "--on", "--tag", "--weather"])
    ),
  ]

  private static let global: (flags: Set<String>, values: Set<String>) = (
    ["--quiet", "-q", "--verbose", "-v", "--help", "-h", "--version"], ["--journal"]
  )

  /// Known options first, then `--`, then everything that is text.
  private static func separated(
    _ words: ArraySlice<String>, _ table: (flags: Set<String>, values: Set<String>)
  ) -> [String] {
    var options: [String] = []
    var texts: [String] = []
    var rest = words
    while let word = rest.popFirst() {
      if word == "--" {
        texts += rest
        break
      } else if table.flags.contains(word) {
        options.append(word)
      } else if table.values.contains(word) {
        options.append(word)
        if let value = rest.popFirst() {
          options[options.count - 1] = joined(word, value, &options)
        }
      } else if word.hasPrefix("--"),
        let equals = word.firstIndex(of: "="), table.values.contains(String(word[..<equals]))
      {
        options.append(word)
      } else {
        texts.append(word)
      }
    }
    return options + (texts.isEmpty ? [] : ["--"] + texts)
  }

  /// `--message -5` must reach the parser as one word, for the value begins with a dash.
  private static func joined(_ option: String, _ value: String, _ options: inout [String]) -> String
  {
    if option.hasPrefix("--") { return option + "=" + value }
    options.insert(option, at: options.count - 1)
    return value
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
