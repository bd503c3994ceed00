import DiaryCore

/// Returns an entry as lines for a terminal: its title, its metadata and its text.
///
/// - Parameters:
///   - width: columns.
///   - isStyled: whether styles are escape sequences. Without them, marks replace the styles that
///     carry meaning. Escape sequences in the text are always shown as text.
package func terminalLines(of entry: ExportEntry, width: Int, isStyled: Bool) -> [String] {
  var text = MarkdownText(entry.body)
  let opening = text.removeHeading(titled: entry.summary.title)
  let icon = entry.summary.weather?.icon(isNight: entry.isNight) ?? ""
  let weather = entry.weatherText.map { icon.isEmpty ? $0 : icon + " " + $0 }
  let tags = entry.summary.tags.map { "#" + $0 }.joined(separator: " ")
  let metadata = [entry.dateText, weather, entry.place, tags].compactMap(\.self).filter {
    !$0.isEmpty
  }
  let head = [
    StyledText(
      text: opening == .line ? "" : terminalLine(entry.summary.title) + "\n", style: .bold),
    StyledText(text: terminalLine(metadata.joined(separator: " · ")), style: .dim),
  ]
  let lines = LineWrap.lines(of: head.filter { !$0.text.isEmpty }, width: width).map { line in
    line.map { isStyled ? $0.style.applied(to: $0.text) : $0.text }.joined()
  }
  return lines + [""] + TerminalRenderer.lines(of: text, width: width, isStyled: isStyled)
}

/// Returns entries as plain text in the given order. Lines are not wrapped, because the width is
/// not known here.
package func plainText(of entries: [ExportEntry]) -> String {
  entries.map(plainText).joined(separator: plainTextSeparator)
}

/// The separator between two entries of plain text.
package let plainTextSeparator = "\n\n" + String(repeating: "-", count: 24) + "\n\n\n"

/// Returns one entry as plain text.
package func plainText(of entry: ExportEntry) -> String {
  var text = MarkdownText(entry.body)
  let opening = text.removeHeading(titled: entry.summary.title)
  var lines: [String] = []
  if opening != .line {
    let title = terminalLine(entry.summary.title)
    lines += [title, String(repeating: "=", count: min(max(displayWidth(title), 3), 72))]
  }
  let metadata = [entry.dateText, entry.weatherText, entry.place].compactMap(\.self)
  if !metadata.isEmpty { lines.append(terminalLine(metadata.joined(separator: " · "))) }
  let body = TerminalRenderer.lines(of: text, width: nil, isStyled: false)
  if !body.isEmpty { lines += [""] + body }
  if !entry.summary.tags.isEmpty {
    lines += ["", entry.summary.tags.map { "#" + terminalLine($0) }.joined(separator: " ")]
  }
  return lines.joined(separator: "\n") + "\n"
}
