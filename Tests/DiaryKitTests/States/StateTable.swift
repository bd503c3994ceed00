import Foundation

/// The table of states and commands in docs/architecture.md.
struct StateTable {
  /// A cell: what the command does with a path in the state.
  enum Cell: String {
    /// The command does its work.
    case ok
    /// It brings the file up to date, then does its work.
    case first
    /// It brings the file up to date, and asks the user to look at it and to repeat the command.
    case again
    /// It refuses, and changes nothing.
    case no
    /// It leaves the file out.
    case skip
    /// The two cannot meet.
    case none = "–"
  }

  let commands: [String]
  let rows: [String: [Cell]]

  init() throws {
    let file = URL(fileURLWithPath: #filePath)
    let root = (0..<4).reduce(file) { url, _ in url.deletingLastPathComponent() }
    let text = try String(
      contentsOf: root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let start = lines.firstIndex { $0.hasPrefix("| state |") } ?? lines.count
    var table: [[String]] = []
    for line in lines[start...].prefix(while: { $0.hasPrefix("|") }) {
      table.append(
        line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) })
    }
    commands = Array((table.first ?? []).dropFirst())
    var rows: [String: [Cell]] = [:]
    for row in table.dropFirst(2) {
      rows[row[0]] = row.dropFirst().compactMap { Cell(rawValue: $0) }
    }
    self.rows = rows
  }

  func cell(_ state: SampleState, _ command: SampleCommand) -> Cell? {
    guard let column = commands.firstIndex(of: command.rawValue),
      let row = rows[state.rawValue], column < row.count
    else { return nil }
    return row[column]
  }
}
