extension EntryText {
  /// The text with quotes around plain titles, places and weather that a strict YAML parser would
  /// misread. A value is quoted only if it reads the same afterwards. Dates are not quoted, because
  /// the ignored text after a date would become part of it.
  package var withQuotedValues: EntryText {
    var repaired = self
    for key in ["title", "place", "weather"] where repaired.needsQuotes(key) {
      guard case .text(let text)? = repaired.value(key) else { continue }
      var candidate = repaired
      guard (try? candidate.set(key, .text(text))) != nil else { continue }
      if candidate.value(key) == .text(text), !candidate.needsQuotes(key) { repaired = candidate }
    }
    return repaired
  }

  private func needsQuotes(_ key: String) -> Bool {
    let line = field(key)?.line
    return line != nil && lints.contains { $0.code == "unquoted-value" && $0.line == line }
  }
}
