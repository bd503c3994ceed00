extension EntryText {
  /// The text with quotes around the plain title, place and weather that a strict YAML reader would
  /// read otherwise. Only what reads the same before and after is changed; dates are left, because
  /// what follows one is ignored and would become part of it.
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
