import DiaryCore
import DiaryKit
import Localization

/// The versions of an entry, in columns.
struct HistoryTable {
  let lines: [String]

  init(_ history: EntryHistory, width: Int = Console.width) {
    let locale = UserLocale()
    let rows = history.versions.map { version in
      let date = EntryDate(instant: version.at, offset: version.offset)
      let clock = locale.timeText(of: date).map { " " + $0 } ?? ""
      return (
        version: version, number: String(version.versionsAgo),
        time: locale.text(of: date?.date) + clock,
        added: "+\(version.added)", removed: "-\(version.removed)"
      )
    }
    func widest(_ texts: [String]) -> Int { texts.map(displayWidth).max() ?? 0 }
    let numbers = widest(rows.map(\.number))
    let times = widest(rows.map(\.time))
    let added = widest(rows.map(\.added))
    let removed = widest(rows.map(\.removed))
    let room = max(20, width - numbers - times - added - removed - 9)
    lines = rows.flatMap { row in
      let message = HistoryTable.message(of: row.version, in: history)
      let line = [
        EntryTable.blanks(numbers - displayWidth(row.number))
          + Console.styled(row.number, .dim),
        row.time + EntryTable.blanks(times - displayWidth(row.time)),
        EntryTable.blanks(added - displayWidth(row.added)) + Console.styled(row.added, .good) + " "
          + EntryTable.blanks(removed - displayWidth(row.removed))
          + Console.styled(row.removed, .bad),
        Console.isTerminal ? truncated(terminalLine(message), toWidth: room) : message,
      ].joined(separator: "  ")
      guard let changes = row.version.changes else { return [line] }
      return [Console.styled(line, .bold)] + HistoryTable.patch(changes) + [""]
    }
  }

  /// The commit message, with the previous path if this version changed it.
  private static func message(of version: EntryRevision, in history: EntryHistory) -> String {
    let previous =
      history.versions.indices.contains(version.versionsAgo + 1)
      ? history.versions[version.versionsAgo + 1] : nil
    let subject = localizedSubject(version.message)
    guard let previous, previous.path != version.path else { return subject }
    return subject + localized(" (was \(previous.path.text))")
  }

  /// The changes with some lines of context, marked `[-…-]{+…+}` if there is no colour.
  private static func patch(_ diff: WordDiff) -> [String] {
    var lines: [(text: String, isChanged: Bool)] = [("", false)]
    func add(_ text: String, _ style: Console.Style?, _ marks: (String, String)) {
      for (index, part) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        if index > 0 { lines.append(("", false)) }
        let shown = Console.escapedOnTerminal(
          part.hasSuffix("\r") ? String(part.dropLast()) : String(part))
        if let style, !shown.isEmpty || index == 0 {
          let marked = Console.hasColour ? shown : marks.0 + shown + marks.1
          lines[lines.count - 1].text += Console.styled(marked, style)
        } else {
          lines[lines.count - 1].text += shown
        }
        if style != nil { lines[lines.count - 1].isChanged = true }
      }
    }
    for part in diff.parts {
      switch part {
      case .same(let text): add(text, nil, ("", ""))
      case .removed(let text): add(text, .bad, ("[-", "-]"))
      case .added(let text): add(text, .good, ("{+", "+}"))
      }
    }
    if lines.last?.text.isEmpty == true { lines.removeLast() }
    return linesWithContext(lines)
  }

  /// The changed lines with two lines of context on each side; an ellipsis marks each gap.
  private static func linesWithContext(_ lines: [(text: String, isChanged: Bool)]) -> [String] {
    var isShown = lines.map { _ in false }
    for index in lines.indices where lines[index].isChanged {
      for neighbour in max(0, index - 2)...min(lines.count - 1, index + 2) {
        isShown[neighbour] = true
      }
    }
    var shown: [String] = []
    for index in lines.indices {
      if isShown[index] {
        shown.append("    " + lines[index].text)
      } else if index > 0 && isShown[index - 1] || index == 0 && isShown.contains(true) {
        shown.append("    " + Console.styled("…", .dim))
      }
    }
    return shown
  }
}
