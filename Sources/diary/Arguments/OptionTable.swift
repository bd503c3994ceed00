import DiaryKit
import Localization

/// The options of one command, as far as needed to tell them from text. A test compares the table
/// with the output of `--help`.
struct OptionTable {
  /// Options without a value.
  var flags: Set<String>
  /// Options with a value.
  var values: Set<String>
  /// True if the command takes words that may begin with a dash.
  var takesText = false

  /// The tables by command; a subcommand is `weather NAME` or `key NAME`.
  static let byCommand: [String: OptionTable] = [
    "new": text(
      values: ["--message", "-m", "--date", "--tag", "--template", "--place", "--attach"]),
    "add": text(["--time"], values: ["--to", "--date", "--tag", "--place", "--attach"]),
    "edit": text(filterFlags, values: filterValues),
    "web": plain(
      ["--no-open", "--read-only", "--forget", "--until-closed"], values: ["--port"]),
    "list": OptionTable(
      flags: commonFlags.union(filterFlags).union(outputFlags).union(["--deleted"]),
      values: journalValues.union(filterValues).union(["--at", "--format"])),
    "show": text(filterFlags.union(["--json"]), values: filterValues.union(["--at"])),
    "share": text(
      filterFlags.union(["--force"]),
      values: filterValues.union(["--format", "--output", "-o", "--to"])),
    "history": text(["--patch", "--json"]),
    "restore": text(["--missing"], values: ["--at"]),
    "undo": plain(["--yes", "--keep-changed", "--list", "--json"]),
    "redo": plain(["--yes", "--keep-changed"]),
    "search": text(
      outputFlags.union(filterFlags).union(["--regex", "--full", "-f"]),
      values: filterValues.union(["--format"])),
    "tags": text(["--json"], values: ["--rename"]),
    "onthisday": text(outputFlags),
    "calendar": text(["--json"]),
    "stats": plain(filterFlags.union(["--json"]), values: filterValues.union(["--by"])),
    "random": plain(filterFlags.union(["--json"]), values: filterValues),
    "save": plain(["--deletions"]),
    "watch": plain(["--sync", "--install", "--wait", "--uninstall", "--verbose", "-v"]),
    "sync": plain(["--accept-rewritten"]),
    "clone": text(["--sealed"]),
    "key list": plain(["--show", "--json"]),
    "key check": plain(),
    "key add": text(),
    "demo": plain(["--web"]),
    "merge-file": text(),
    "status": plain(["--json"]),
    "rename": text(values: ["--date"]),
    "star": text(filterFlags, values: filterValues),
    "unstar": text(filterFlags, values: filterValues),
    "delete": text(filterFlags.union(["--yes", "--all"]), values: filterValues),
    "weather now": plain(),
    "weather on": text(),
    "weather off": plain(),
    "weather stamp": text(),
    "weather fill": plain(["--yes"], values: ["--place"]),
    "init": text(
      ["--yes", "--join", "--separate", "--sealed", "--encrypted"],
      values: ["--place", "--remote", "--password-command"]),
    "unlock": plain(values: ["--password-command"]),
    "lock": plain(),
    "encrypt": plain(values: ["--password-command"]),
    "import": text(["--dry-run"], values: ["--format", "--encoding"]),
    "export": text(
      filterFlags.union(["--force", "--no-attachments"]),
      values: filterValues.union(["--format", "--title"])),
    "index": plain(["--rebuild", "--verify"]),
    "check": plain(outputFlags.union(["--fix", "--yes"]), values: ["--date-from"]),
    "config": text(["--unset", "--shared", "--personal", "--json"]),
    "leave": plain(["--yes", "--keep-saves", "--drop-saves"]),
  ]

  private static let commonFlags: Set = [
    "--quiet", "-q", "--help", "-h", "--version",
  ]
  private static let journalValues: Set = ["--journal", "-j"]
  private static let outputFlags: Set = ["--json", "--paths", "-0"]
  private static let filterFlags: Set = ["--starred", "--reverse"]
  private static let filterValues: Set = [
    "-n", "--since", "--until", "--on", "--tag", "--any-tag", "--not-tag", "--weather",
  ]

  private static func plain(_ flags: Set<String> = [], values: Set<String> = []) -> OptionTable {
    OptionTable(flags: commonFlags.union(flags), values: journalValues.union(values))
  }

  private static func text(_ flags: Set<String> = [], values: Set<String> = []) -> OptionTable {
    OptionTable(
      flags: commonFlags.union(flags), values: journalValues.union(values), takesText: true)
  }

  /// The number of words of an option, itself included; `nil` if the command does not have it.
  func argumentCount(_ word: String) -> Int? {
    if flags.contains(word) { return 1 }
    if values.contains(word) { return 2 }
    if let equals = word.firstIndex(of: "="), values.contains(String(word[..<equals])) { return 1 }
    guard word.count > 2, word.first == "-" else { return nil }
    // `-n3`, and `-qh` for `-q -h`.
    if word.hasPrefix("-n"), values.contains("-n"), word.dropFirst(2).allSatisfy(\.isNumber) {
      return 1
    }
    return word.dropFirst().allSatisfy { flags.contains("-\($0)") } ? 1 : nil
  }

  /// True if the command has this option.
  func has(_ name: String) -> Bool {
    name != "--version" && (flags.contains(name) || values.contains(name))
  }

  /// True for `--verbose` in a command that does not use it: every command accepts it.
  func isWithoutEffect(_ word: String) -> Bool {
    ["--verbose", "-v"].contains(word) && !flags.contains(word)
  }

  /// Throws if the word looks like an option that the command does not have: `--tag` in `add`,
  /// `--tags` for `--tag`. A quoted text with blanks is not an option.
  func checkIsNoOption(_ word: String, _ command: String) throws {
    let name = String(word.prefix { $0 != "=" })
    guard Self.looksLikeOption(name) else { return }
    let help = localized("`diary \(command) --help` lists its options")
    if word != name, flags.contains(name) {
      throw DiaryError(localized("\(name) takes no value"), kind: .usage, hint: help)
    }
    let suggestion = Suggestions.option(for: name, of: command, self).map { $0 + " " } ?? ""
    throw DiaryError(
      name == "--version"
        ? localized("--version takes no other arguments")
        : localized("`diary \(command)` has no option \(name)"),
      kind: .usage,
      hint: (name == "--version"
        ? localized("`diary --version` prints the program's version; ") : "")
        + suggestion + help + (takesText ? localized("; everything after `--` is text") : ""))
  }

  /// Throws if the option has no value, because it is last or another option follows it.
  func checkValue(_ value: String?, of option: String, _ command: String) throws {
    if option == "-n", let value, value.hasPrefix("-"), Int(value) != nil {
      throw DiaryError(
        localized("-n must be 1 or more"), kind: .usage,
        hint: localized("`diary \(command) --help` lists its options"))
    }
    if let value,
      !value.hasPrefix("--") || !Self.looksLikeOption(String(value.prefix { $0 != "=" }))
    {
      return
    }
    let suggestion = value.map { localized("if the value is \($0), write \(option)=\($0); ") } ?? ""
    throw DiaryError(
      localized("missing value for '\(option)'"), kind: .usage,
      hint: suggestion + localized("`diary \(command) --help` lists its options"))
  }

  /// True for one or two dashes, a letter, and letters, digits or dashes; `-5` and `-안녕` are text.
  private static func looksLikeOption(_ name: String) -> Bool {
    let letters = name.dropFirst(name.hasPrefix("--") ? 2 : 1)
    guard name.hasPrefix("-"), letters.first?.isLetter == true else { return false }
    return letters.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) }
  }
}
