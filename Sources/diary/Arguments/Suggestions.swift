import Localization

/// Suggests commands and options for unknown ones.
enum Suggestions {
  /// The commands by the names that other programs use.
  private static let commandsByOtherName = [
    "ls": "list", "log": "list", "dir": "list", "cat": "show", "view": "show", "read": "show",
    "print": "show", "open": "edit", "find": "search", "grep": "search", "rm": "delete",
    "remove": "delete", "del": "delete", "mv": "rename REF --date", "move": "rename REF --date",
    "write": "new",
    "create": "new", "entry": "new", "append": "add", "commit": "save", "autosave": "watch",
    "daemon": "watch", "lint": "check", "doctor": "check", "fsck": "check", "reindex": "index",
    "rebuild": "index", "backup": "export", "dump": "export", "send": "share", "push": "sync",
    "pull": "sync",
    "fetch": "sync", "diff": "history", "versions": "history", "revert": "undo",
    "rollback": "undo", "undelete": "restore", "recover": "restore",
    "deleted": "list --deleted", "trash": "list --deleted", "adopt": "init", "setup": "init",
    "uninstall": "leave", "statistics": "stats", "count": "stats",
    "heatmap": "calendar", "cal": "calendar",
    "favorite": "star", "favourite": "star", "unfavorite": "unstar", "unfavourite": "unstar",
    "today-in-history": "onthisday", "memories": "onthisday", "on": "onthisday|list --on",
    "flashback": "random",
    "set": "config", "settings": "config", "configure": "config", "preferences": "config",
    "start": "new|init", "begin": "new|init", "version": "--version", "week": "this week",
    "month": "this month", "year": "this year",
    "쓰기": "new|add", "글쓰기": "new|add", "새글": "new", "추가": "add", "덧붙이기": "add",
    "목록": "list", "보기": "show|list", "읽기": "show|list", "찾기": "search", "검색": "search",
    "고치기": "edit", "편집": "edit", "수정": "edit", "지우기": "delete", "삭제": "delete",
    "되돌리기": "undo", "되살리기": "restore", "복원": "restore", "휴지통": "list --deleted",
    "삭제됨": "list --deleted", "기록": "history", "저장": "save",
    "자동저장": "watch", "상태": "status", "동기화": "sync", "통계": "stats", "달력": "calendar",
    "태그": "tags", "날씨": "weather", "별표": "star", "설정": "config", "가져오기": "import",
    "내보내기": "export", "백업": "export", "공유": "share", "시작": "new|init",
    "도움말": "help", "도움": "help", "설명서": "help", "사용법": "help", "버전": "--version",
  ]

  /// A question that names the most likely commands for an unknown one; `nil` if none is likely.
  static func question(for word: String, among all: [String], after start: String = "") -> String? {
    let meant = commands(for: word, among: all).map { "`diary \(start)\($0)`" }
    return meant.isEmpty
      ? nil : localized("did you mean \(meant.joined(separator: localized(" or ")))? ")
  }

  private static func commands(for word: String, among all: [String]) -> [String] {
    let word = word.lowercased()
    if all.contains(word) { return [word] }
    if let others = commandsByOtherName[word]?.split(separator: "|").map({ String($0) }),
      all.contains("list")
        || all.contains(where: { others[0].split(separator: " ").first == $0[...] })
    {
      return others
    }
    let longer = all.filter { $0.hasPrefix(word) }
    if word.count > 2, (1...3).contains(longer.count) { return longer }
    return nearest(word, of: all).map { [$0] } ?? []
  }

  /// The commands that other programs have as an option.
  private static let commandsByOption = [
    "--contains": "search", "--search": "search --full", "--short": "list", "--edit": "edit",
    "--delete": "delete", "--export": "export", "--import": "import",
  ]

  /// Options of other programs, and the equivalent options here, most likely first.
  private static let optionsByOtherName: [String: [String]] = [
    "--from": ["--since"], "--after": ["--since"], "--start": ["--since"],
    "--to": ["--until"], "--before": ["--until"], "--till": ["--until"], "--end": ["--until"],
    "--year": ["--on"], "--month": ["--on"], "--day": ["--on", "--date"],
    "--when": ["--on", "--date", "--at"], "--date": ["--on"], "--created": ["--date"],
    "--version": ["--at"], "--revision": ["--at"], "--rev": ["--at"], "--commit": ["--at"],
    "--limit": ["-n"], "--count": ["-n"], "--max": ["-n"], "--number": ["-n"],
    "--text": ["--message"], "--body": ["--message"], "--content": ["--message"],
    "--label": ["--tag"], "--category": ["--tag"], "--location": ["--place"],
    "--file": ["--attach", "--output"], "--photo": ["--attach"], "--image": ["--attach"],
    "--picture": ["--attach"], "--dir": ["--journal"], "--folder": ["--journal"],
    "--force": ["--yes"], "--confirm": ["--yes"], "--diff": ["--patch"], "--url": ["--remote"],
    "--encrypt": ["--sealed"], "--encrypted": ["--sealed"], "--silent": ["--quiet"],
    "--html": ["--format"],
    "--markdown": ["--format"], "--stdin": ["--message"], "--date-created": ["--date"],
    "--favorite": ["--starred"], "--favourite": ["--starred"],
    "-t": ["--tag"], "-d": ["--date", "--on"], "-y": ["--yes"], "-f": ["--force"],
    "-a": ["--attach"], "-p": ["--patch"], "-l": ["-n"],
  ]

  /// The commands most closely related to a command, closest first: one of them may have the option
  /// that it lacks.
  private static let relatedCommands = [
    "new": ["add"], "add": ["new"], "edit": ["new", "add", "show"],
    "list": ["search", "share", "history"], "show": ["share", "history", "list"],
    "search": ["list", "share"], "tags": ["list"], "history": ["show", "list"],
    "restore": ["list", "history"], "delete": ["restore", "list"],
    "undo": ["redo", "restore", "history"],
    "redo": ["undo"],
    "share": ["export", "show", "list"], "export": ["share", "list"],
    "save": ["sync", "watch"], "watch": ["sync"],
    "sync": ["watch", "init"], "status": ["list"], "clone": ["init"], "check": ["index"],
    "index": ["check"], "leave": ["save"], "config": ["status"],
  ]

  /// The suggestion for an unknown option, as the beginning of a hint.
  static func option(for name: String, of command: String, _ table: OptionTable) -> String? {
    if name == "--title", command == "new" {
      return localized("the title needs no option: `diary new TITLE`;")
    }
    // `edit` has --on, too, which chooses entries.
    if name == "--date", command == "edit" {
      let meant = "rename --date"
      return localized("did you mean `diary \(meant)`?")
    }
    let typed = name.lowercased()
    // `-from` means `--from`.
    let name = typed.hasPrefix("--") || typed.count == 2 ? typed : "-" + typed
    let meant = [name] + (optionsByOtherName[typed] ?? []) + (optionsByOtherName[name] ?? [])
    if let command = commandsByOption[name], !table.has(name) {
      return localized("did you mean `diary \(command)`?")
    }
    if let knownOption = meant.first(where: { table.has($0) }) ?? nearestOption(name, of: table) {
      return localized("did you mean `\(knownOption)`?")
    }
    // `--yes` and `--force` mean something else in each command.
    for sibling in relatedCommands[command] ?? [] where !["--yes", "--force"].contains(name) {
      guard let other = OptionTable.byCommand[sibling] else { continue }
      if let option = meant.first(where: { other.has($0) }) {
        return localized("did you mean `diary \(sibling) \(option)`?")
      }
    }
    return nil
  }

  private static func nearestOption(_ name: String, of table: OptionTable) -> String? {
    guard name.hasPrefix("--"), name.count > 3 else { return nil }
    let longOptions = table.flags.union(table.values).filter {
      $0.hasPrefix("--") && $0 != "--version"
    }
    let longer = longOptions.filter { $0.hasPrefix(name) }
    if longer.count == 1 { return longer.first }
    return nearest(String(name.dropFirst(2)), of: longOptions.map { String($0.dropFirst(2)) })
      .map { "--" + $0 }
  }

  /// The nearest word, if it is near enough.
  static func nearest(_ word: String, of all: some Sequence<String>) -> String? {
    let best = all.map { ($0, distance(word, $0)) }.min { ($0.1, $0.0) < ($1.1, $1.0) }
    return best.flatMap { $0.1 <= max(1, word.count / 3) ? $0.0 : nil }
  }

  /// The number of typing errors between two words: letters missing, added, replaced or swapped
  /// (the optimal string alignment distance).
  static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var previousRow: [Int] = []
    var row = Array(0...right.count)
    for i in left.indices {
      var next = [i + 1]
      for j in right.indices {
        var best = min(next[j] + 1, row[j + 1] + 1, row[j] + (left[i] == right[j] ? 0 : 1))
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          best = min(best, previousRow[j - 1] + 1)
        }
        next.append(best)
      }
      (previousRow, row) = (row, next)
    }
    return row[right.count]
  }
}
