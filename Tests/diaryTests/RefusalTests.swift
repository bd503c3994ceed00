import Testing

/// Arguments that are refused before anything is done.
@Suite struct RefusalTests {
  @Test(arguments: [
    ["new", "x", "--message", "x", "--dry-run"], ["add", "I", "ran", "git", "push", "--force"],
    ["add", "I", "ran", "rm", "-r"], ["rename", "1", "Better", "--yes"],
    ["weather", "on", "Seoul", "--yes"], ["show", "1", "--field", "title"],
    ["search", "rained", "--sort", "date"], ["delete", "1", "--yes", "--force"],
    ["history", "1", "--all"], ["share", "1", "--pdf"], ["edit", "1", "--line=3"],
    ["init", "k", "--bare"], ["import", "x.json", "--force"], ["clone", "x", "--depth=1"],
    ["list", "--csv"], ["save", "--all"], ["weather", "--now"], ["--nope"], ["undo", "--force"],
  ])
  func `an unknown option is refused in any position`(_ words: [String]) throws {
    let answer = try #require(ParserOutput(words), "\(words) would be done")
    #expect(answer.status == 64, "\(words): \(answer)")
    #expect(answer.text.contains("has no option -"), "\(words): \(answer)")
    #expect(answer.text.contains("--help` lists its options"), "\(words): \(answer)")
  }

  @Test(arguments: [
    (["add", "Bought milk", "--template", "home"], "did you mean `diary new --template`?"),
    (["new", "x", "--to", "1"], "did you mean `diary add --to`?"),
    (["new", "--title", "x"], "the title needs no option: `diary new TITLE`; `diary new --help`"),
    (["-on", "today"], "did you mean `--on`?"), (["list", "-from", "today"], "mean `--since`?"),
    (["-until", "today"], "did you mean `--until`?"), (["-starred"], "did you mean `--starred`?"),
    (["-contains", "soup"], "did you mean `diary search`?"),
    (["--short"], "did you mean `diary list`?"), (["-3"], "did you mean `diary list -n 3`?"),
    (["-1", "--edit"], "did you mean `diary edit 1`?"),
    (["-3", "--delete"], "did you mean `diary delete 1..3`?"),
    (["list", "-n", "-1"], "-n must be 1 or more"),
    (["show", "1", "--format", "html"], "did you mean `diary share --format`?"),
    (["list", "--from", "monday"], "did you mean `--since`?"),
    (["--from", "monday"], "did you mean `--since`?"),
    (["list", "--year", "2025"], "did you mean `--on`?"),
    (["list", "--limit", "3"], "did you mean `-n`?"),
    (["restore", "1", "--version", "2"], "did you mean `--at`?"),
    (["list", "-n", "3", "--version"], "`diary --version` prints the program's version"),
    (["restore", "1", "--patch"], "did you mean `diary history --patch`?"),
    (["show", "1", "--json=yes"], "--json takes no value"),
    (["new", "--message", "--tag", "home"], "missing value for '--message'"),
    (["list", "--since", "--json"], "missing value for '--since'"),
    (["export", "x", "--format", "nope"], "which takes one of: html, json, "),
    (["list", "--format", "json"], "for JSON, use --json"),
    (["search", "x", "--format", "title"], "--format needs a mark such as %t"),
  ])
  func `a refused option suggests the right one`(_ words: [String], _ message: String) throws {
    try expectRefused(words, message)
  }

  @Test(arguments: [
    (["nwe"], "did you mean `diary new`?"), (["inti"], "did you mean `diary init`?"),
    (["NEW"], "did you mean `diary new`?"), (["hist"], "did you mean `diary history`?"),
    (["backup"], "did you mean `diary export`?"), (["pull"], "did you mean `diary sync`?"),
    (["statistics"], "did you mean `diary stats`?"),
    (["heatmap"], "did you mean `diary calendar`?"),
    (
      ["someday"], "hint: in the texts: `diary search someday`; `diary help all` lists all commands"
    ),
    (["Lunch: soup"], "did you mean `diary new 'Lunch: soup'`?"),
    (["Lunch with Bob"], "did you mean `diary new 'Lunch with Bob'`?"),
    (["serach", "x"], "did you mean `diary search`?"), (["ls"], "did you mean `diary list`?"),
    (["rm", "1"], "did you mean `diary delete`?"),
    (["stat"], "did you mean `diary stats` or `diary status`?"),
    (["start"], "did you mean `diary new` or `diary init`?"),
    (["write"], "did you mean `diary new`?"), (["version"], "did you mean `diary --version`?"),
    (["week"], "did you mean `diary this week`?"), (["decrypt"], "`diary encrypt` encrypts"),
    (["찾기", "비"], "did you mean `diary search`?"), (["목록"], "did you mean `diary list`?"),
    (["쓰기"], "did you mean `diary new` or `diary add`?"),
    (["도움말"], "did you mean `diary help`?"), (["help", "찾기"], "did you mean `diary search`?"),
    (["help", "lst"], "did you mean `diary list`?"),
    (["weather", "fil"], "did you mean `diary weather fill`?"),
    (["help", "weather", "Seoul"], "unknown command \"weather Seoul\""),
  ])
  func `an unknown command suggests a similar one`(_ words: [String], _ told: String)
    throws
  {
    try expectRefused(words, told)
  }

  @Test(arguments: [
    (["today", "was", "nice"], "a text needs a colon: `diary today: was nice`"),
    (["last", "night", "it", "rained"], "a text needs a colon: `diary last night: it rained`"),
    (["어제", "비가", "왔다"], "a text needs a colon: `diary 어제: 비가 왔다`"),
    (["Today", "I", "went"], "to write it: `diary add Today I went`"),
    (["my", "day,", "don't", "ask"], "to write it: `diary add my day, 'don'\\''t' ask`"),
    (["sun", "and", "rain"], "to write it: `diary add sun and rain`"),
    (["work:", "a", "text"], "if \"work\" is a journal: `diary -j work add a text`"),
    (["grandma"], "in the texts: `diary search grandma`"),
    (["2026-11-31"], "\"2026-11-31\" is not a date"), (["2026-11-31:", "hi"], " has 30 days"),
  ])
  func `words without a command get the line that does it`(_ words: [String], _ told: String) throws
  {
    try expectRefused(words, told)
  }

  @Test(arguments: [
    (["list", "today"], "did you mean `diary list --on today`?"),
    (["list", "last", "week"], "did you mean `diary list --on 'last week'`?"),
    (["list", "5"], "did you mean `diary list -n 5`?"), (["list", "all"], "mean `diary list`?"),
    (["list", "-5"], "did you mean `diary list -n 5`?"),
    (["list", "grandma"], "did you mean `diary search grandma`?"),
    (["stats", "this", "year"], "did you mean `diary stats --on 'this year'`?"),
  ])
  func `a word after a command that takes none becomes an option`(
    _ words: [String], _ told: String
  ) throws {
    try expectRefused(words, told)
  }

  @Test(arguments: [
    (["edit"], "name an entry, or filter with --on"),
    (["history"], "which entry? `diary history 1`"),
    (["search"], "search for what? `diary search soup`"),
    (["export"], "say where to: `diary export diary.json`"),
    (["rename"], "`diary rename 1 TITLE`"), (["clone"], "`diary clone URL`"),
  ])
  func `a missing argument is asked for with an example`(_ words: [String], _ told: String) throws {
    try expectRefused(words, told)
  }

  @Test(arguments: [
    (["new", "--tags", "a", "-m", "x"], "did you mean `--tag`?"),
    (["new", "Title", "--messag", "x"], "did you mean `--message`?"),
    (["add", "--template", "x"], "`diary add` has no option --template"),
    (["search", "--regexp", "x"], "did you mean `--regex`?"), (["new", "-t", "x"], "option -t"),
    (["new", "Title", "-m"], "missing value for '-m'"),
  ])
  func `a mistyped option is not treated as text`(_ words: [String], _ message: String) throws {
    try expectRefused(words, message)
  }

  @Test(arguments: [
    ["list", "--nope"], ["status", "x"], ["list", "-n", "x"], ["list", "-n", "0"], ["show"],
    ["rename", "1"], ["search", " "], ["list", "--json", "--paths"],
    ["check", "--date-from", "git"],
    ["check", "--fix", "--date-from", "sky"],
  ])
  func `invalid arguments are reported like all other errors`(_ words: [String]) throws {
    let answer = try #require(ParserOutput(words), "\(words) would be done")
    let lines = answer.text.split(separator: "\n")
    #expect(answer.status == 64 && lines.count == 2, "\(words): \(answer)")
    #expect(lines.first?.hasPrefix("diary: ") == true, "\(words): \(lines)")
    #expect(lines.last == "hint: `diary \(words[0]) --help` lists its options", "\(lines)")
  }

  private func expectRefused(_ words: [String], _ message: String) throws {
    let answer = try #require(ParserOutput(words), "\(words) would be done")
    #expect(answer.status == 64 && answer.text.contains(message), "\(words): \(answer)")
  }
}
