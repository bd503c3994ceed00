import DiaryCore

/// The facts of entries as a table for a spreadsheet: CSV after RFC 4180 (commas, quotes, CRLF), behind
/// a byte order mark, without which Excel takes UTF-8 for another encoding.
///
/// Texts come from the writer, and from whoever sent what was pasted: one that a spreadsheet would
/// run as a formula has an apostrophe before it (docs/export.md).
package enum CSVExport {
  private static let columns = [
    "date", "time", "offset", "day", "title", "weather", "condition", "celsius", "place", "tags",
    "words", "attachments", "path",
  ]

  /// The names of the columns.
  package static let header = "\u{FEFF}" + columns.joined(separator: ",") + "\r\n"

  /// An entry's row.
  package static func row(of entry: WholeEntry) -> String {
    let listed = entry.summary
    let cells = [
      listed.date?.date.description ?? "", listed.date?.clock ?? "",
      // RFC 3339's last six signs.
      listed.date?.seconds == nil ? "" : String((listed.date?.description ?? "").suffix(6)),
      listed.day?.description ?? "", cell(listed.title), cell(listed.weather?.text ?? ""),
      listed.weather?.condition?.rawValue ?? "", listed.weather?.celsius.map(number) ?? "",
      cell(listed.place ?? ""), cell(listed.tags.joined(separator: ", ")), "\(listed.words)",
      "\(entry.attachments.count)", cell(listed.path.text),
    ]
    return cells.joined(separator: ",") + "\r\n"
  }

  /// Whole degrees without a fraction.
  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// A text as a cell that is text to every spreadsheet. The full-width signs are formulas to a
  /// Japanese Excel.
  static func cell(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r＝＋－＠".unicodeScalars.contains($0) }
    let text = (isFormula == true ? "'" : "") + text
    let needsQuotes = text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    let isPadded = text.first?.isWhitespace == true || text.last?.isWhitespace == true
    guard needsQuotes || isPadded else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
