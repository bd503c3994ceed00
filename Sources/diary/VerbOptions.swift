import DiaryKit

/// The options of one verb, as far as telling them from text needs it; a test holds the table to
/// what `--help` prints.
struct VerbOptions {
  /// Options that stand alone.
  var flags: Set<String>
  /// Options with a value behind them.
  var values: Set<String>
  /// Whether the verb takes words that may begin with a dash.
  var takesText = false

  /// By verb; the verbs of `weather` with it before them.
  static let of: [String: VerbOptions] = [
    "new": text(
      values: ["--message", "-m", "--date", "--tag", "--template", "--place", "--attach"]),
    "add": text(["--time"], values: ["--to"]),
    "edit": text(),
    "list": VerbOptions(
      flags: common.union(filterFlags).union(output).union(["--deleted"]),
      values: journal.union(filters).union(["--at"])),
    "show": text(["--json"], values: ["--at"]),
    "share": text(
      filterFlags.union(["--force"]),
      values: filters.union(["--format", "--output", "-o", "--to"])),
    "history": text(["--patch", "--json"]),
    "restore": text(["--missing"], values: ["--at"]),
    "undo": plain(["--yes"]),
    "search": text(output.union(filterFlags).union(["--regex"]), values: filters),
    "tags": plain(["--json"]),
    "save": plain(["--deletions"]),
    "watch": plain(["--sync"]),
    "sync": plain(["--continue", "--accept-rewritten"]),
    "clone": text(),
    "merge-file": text(),
    "status": plain(["--json"]),
    "rename": text(),
    "delete": text(["--yes"]),
    "weather now": plain(),
    "weather on": text(),
    "weather off": plain(),
    "weather stamp": text(),
    "weather fill": plain(["--yes"], values: ["--place"]),
    "init": text(["--yes"], values: ["--place", "--remote"]),
    "import": text(),
    "index": plain(["--rebuild", "--verify"]),
    "check": plain(output.union(["--fix"]), values: ["--date-from"]),
    "leave": plain(["--yes", "--keep-saves"]),
  ]

  private static let common: Set = [
    "--quiet", "-q", "--verbose", "-v", "--help", "-h", "--version",
  ]
  private static let journal: Set = ["--journal"]
  private static let output: Set = ["--json", "--paths", "-0"]
  private static let filterFlags: Set = ["--reverse"]
  private static let filters: Set = ["-n", "--since", "--until", "--on", "--tag", "--weather"]

  private static func plain(_ flags: Set<String> = [], values: Set<String> = []) -> VerbOptions {
    VerbOptions(flags: common.union(flags), values: journal.union(values))
  }

  private static func text(_ flags: Set<String> = [], values: Set<String> = []) -> VerbOptions {
    VerbOptions(flags: common.union(flags), values: journal.union(values), takesText: true)
  }

  /// How many words an option takes, itself included; `nil` for what is none of this verb.
  func taken(_ word: String) -> Int? {
    if flags.contains(word) { return 1 }
    if values.contains(word) { return 2 }
    if let equals = word.firstIndex(of: "="), values.contains(String(word[..<equals])) { return 1 }
    guard word.count > 2, word.first == "-" else { return nil }
    // `-n3`, and `-qv` for `-q -v`.
    if word.hasPrefix("-n"), values.contains("-n"), word.dropFirst(2).allSatisfy(\.isNumber) {
      return 1
    }
    return word.dropFirst().allSatisfy { flags.contains("-\($0)") } ? 1 : nil
  }

  /// Whether a word that is no option of this verb was meant as one: `--template` in `add`,
  /// `--tags` for `--tag`. Behind other words only what resembles an option is, so that a
  /// `git push --force` may be told of in an entry.
  func isMistaken(_ word: String, isFirst: Bool) -> Bool {
    let name = word.prefix { $0 != "=" }
    guard name.hasPrefix("-"), name.dropFirst().first != "-" || name.count > 3 else { return false }
    let letters = name.drop { $0 == "-" }
    guard letters.first?.isLetter == true, letters.allSatisfy({ $0.isASCII && $0 != " " }) else {
      return false
    }
    if name.hasPrefix("--") { return isFirst || nearest(to: String(name)) != nil }
    return isFirst && name.count == 2
  }

  /// The refusal of such a word.
  func mistake(_ word: String, _ verb: String) -> DiaryError {
    let name = String(word.prefix { $0 != "=" })
    let guess = nearest(to: name).map { "did you mean `\($0)`? " } ?? ""
    return DiaryError(
      "`diary \(verb)` has no option \(name)", kind: .usage,
      hint: guess + "`diary \(verb) --help` lists them; what stands after `--` is text")
  }

  private func nearest(to name: String) -> String? {
    guard name.hasPrefix("--") else { return nil }
    return Words.nearest(name, of: flags.union(values).filter { $0.hasPrefix("--") })
  }
}
