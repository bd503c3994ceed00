import DiaryCore

/// Entries as a table for a spreadsheet: CSV after RFC 4180 (commas, quotes, CRLF) with a byte
/// order mark, without which Excel assumes another encoding than UTF-8.
///
/// Texts come from the user and from pasted content of others. If a spreadsheet would run a text as
/// a formula, an apostrophe is put before it (docs/export.md).
package enum CSVExport {
  private static let columns = [
    "date", "time", "offset", "day", "title", "weather", "condition", "celsius", "place", "tags",
    "words", "attachments", "path",
  ]

  /// The header row with a byte order mark.
  package static let header = "\u{FEFF}" + columns.joined(separator: ",") + "\r\n"

  /// Returns the row of an entry.
  package static func row(of entry: WholeEntry) -> String {
    let listed = entry.summary
    let cells = [
      listed.date?.date.description ?? "", listed.date?.clock ?? "",
      // The last six characters of a date after RFC 3339 are the offset.
      listed.date?.seconds == nil ? "" : String((listed.date?.description ?? "").suffix(6)),
      listed.day?.description ?? "", cell(listed.title), cell(listed.weather?.text ?? ""),
      listed.weather?.condition?.rawValue ?? "", listed.weather?.celsius.map(number) ?? "",
      cell(listed.place ?? ""), cell(listed.tags.joined(separator: ", ")), "\(listed.words)",
      "\(entry.attachments.count)", cell(listed.path.text),
    ]
    return cells.joined(separator: ",") + "\r\n"
  }

  /// Returns a number, without a fraction for whole degrees.
  private static func number(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  /// Returns a cell that every spreadsheet reads as text. Japanese Excel also reads the full-width
  /// characters as formulas.
  static func cell(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r＝＋－＠".unicodeScalars.contains($0) }
    let text = (isFormula == true ? "'" : "") + text
    let needsQuotes = text.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    let isPadded = text.first?.isWhitespace == true || text.last?.isWhitespace == true
    guard needsQuotes || isPadded else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
