import DiaryCore
import Localization

/// `diary help`: the commands of daily life, on a screen of 24 lines.
enum DailyHelp {
  static var lines: [String] {
    let width = (groups.flatMap(\.rows).map { displayWidth($0.command) }.max() ?? 0) + 2
    var lines = [localized("A plain-text journal: Markdown files with a git history."), ""]
    for group in groups {
      lines.append(Console.styled(group.name, .bold))
      lines += group.rows.map { row in
        "  " + row.command + EntryTable.blanks(width - displayWidth(row.command)) + row.meaning
      }
    }
    return lines + [
      "", localized("diary help all lists all commands, diary help add the options of one."),
    ]
  }

  /// The parser's help of a command, with its own English words in the user's language.
  static func localizedHelp(_ help: String) -> String {
    let words = [
      ("OVERVIEW: ", localized("OVERVIEW: ")), ("USAGE: ", localized("USAGE: ")),
      ("\nARGUMENTS:", "\n" + localized("ARGUMENTS:")),
      ("\nOPTIONS:", "\n" + localized("OPTIONS:")),
      (" SUBCOMMANDS:", localized(" SUBCOMMANDS:")),
      ("\nSUBCOMMANDS:", "\n" + localized("SUBCOMMANDS:")),
      (" (default) ", localized(" (default) ")),
      ("Show the version.", localized("Show the version.")),
      ("Show help information.", localized("Show help information.")),
    ]
    return words.reduce(help) { $0.replacing($1.0, with: $1.1) }
      .replacing(#/See '(diary help .*)' for detailed help\./#) { match in
        localized("See '\(String(match.1))' for detailed help.")
      }
  }

  private static let groups: [(name: String, rows: [(command: String, meaning: String)])] = [
    (
      localized("Write"),
      [
        (localized("diary today: It rained."), localized("write an entry; also with another day")),
        (localized("diary add At home."), localized("add a paragraph to today's newest entry")),
        ("diary new", localized("write an entry in your editor")),
        ("diary edit 1", localized("open an entry in your editor")),
      ]
    ),
    (
      localized("Read"),
      [
        ("diary", localized("list the entries with their numbers, newest first")),
        ("diary show 1", localized("read an entry, by its number, its day or its title")),
        (
          localized("diary last week"), localized("the entries of a day, a week, a month or a year")
        ),
        (localized("diary search rain"), localized("find words in all entries")),
      ]
    ),
    (
      localized("Change"),
      [
        ("diary delete 1", localized("delete an entry; `diary restore` brings it back")),
        ("diary undo", localized("undo the last operation")),
      ]
    ),
    (
      localized("Save and sync"),
      [
        ("diary watch", localized("save while you write, in any editor")),
        ("diary status", localized("show what is not saved, committed or synced")),
        ("diary sync", localized("exchange the entries with your other devices")),
      ]
    ),
  ]
}
