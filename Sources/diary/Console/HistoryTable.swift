import DiaryCore
import DiaryKit
import Localization

/// The versions of an entry as people read them, in columns.
struct HistoryTable {
  let lines: [String]

  init(_ past: EntryHistory, width: Int = Console.width) {
    let locale = ReaderLocale()
    let rows = past.versions.map { version in
      let date = EntryDate(instant: version.at, offset: version.offset)
      let clock = locale.clock(of: date).map { " " + $0 } ?? ""
      return (
        version: version, number: String(version.ago), time: locale.text(of: date?.date) + clock,
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
      let message = HistoryTable.message(of: row.version, after: past)
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

  /// The message, and the old name where the version had another one.
  private static func message(of version: EntryRevision, after past: EntryHistory) -> String {
    let before =
      past.versions.indices.contains(version.ago + 1) ? past.versions[version.ago + 1] : nil
    guard let before, before.path != version.path else { return version.message }
    return version.message + localized(" (was \(before.path.text))")
  }

  /// What changed, with some lines around it; `[-…-]{+…+}` where there is no colour.
  private static func patch(_ diff: WordDiff) -> [String] {
    var lines: [(text: String, isChanged: Bool)] = [("", false)]
    func add(_ text: String, _ style: Console.Style?, _ marks: (String, String)) {
      for (index, part) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        if index > 0 { lines.append(("", false)) }
        let shown = Console.shown(part.hasSuffix("\r") ? String(part.dropLast()) : String(part))
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
    return around(lines)
  }

  /// The changed lines with two on each side; what lies between is left out.
  private static func around(_ lines: [(text: String, isChanged: Bool)]) -> [String] {
    var isShown = lines.map { _ in false }
    for index in lines.indices where lines[index].isChanged {
      for near in max(0, index - 2)...min(lines.count - 1, index + 2) { isShown[near] = true }
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
