extension EntryText {
  /// The text with quotes around the plain title, place and weather that a strict YAML reader would
  /// read otherwise. Only what reads the same before and after is changed; dates are left, because
  /// what follows one is ignored and would become part of it.
  package var quoted: EntryText {
    var mended = self
    for key in ["title", "place", "weather"] where mended.lacksQuotes(key) {
      guard case .text(let words)? = mended.value(key) else { continue }
      var tried = mended
      guard (try? tried.set(key, .text(words))) != nil else { continue }
      if tried.value(key) == .text(words), !tried.lacksQuotes(key) { mended = tried }
    }
    return mended
  }

  private func lacksQuotes(_ key: String) -> Bool {
    let line = field(key)?.line
    return line != nil && lints.contains { $0.code == "unquoted-value" && $0.line == line }
  }
}
