import DiaryCore

/// The part of a line around a search match.
enum MatchExcerpt {
  /// A piece of the line.
  struct Part: Equatable {
    var text: String
    var isMatch: Bool
  }

  /// The parts shortened to `width` columns so that they contain the first match. An ellipsis
  /// replaces the text that is missing at either end.
  static func excerpt(of parts: [Part], width: Int) -> [Part] {
    var parts = parts.map { part in
      var part = part
      part.text = part.text.replacing("\t", with: " ")
      return part
    }
    guard parts.reduce(0, { $0 + displayWidth($1.text) }) > width else { return parts }
    if let first = parts.first, !first.isMatch, parts.count > 1 {
      // A third of the line is the text before the match.
      parts[0].text = lastColumns(of: first.text, max(1, width / 3))
    }
    var remainingWidth = width
    var fitted: [Part] = []
    for part in parts {
      let needed = displayWidth(part.text)
      let isLast = needed >= remainingWidth
      fitted.append(
        Part(text: truncated(part.text, toWidth: remainingWidth), isMatch: part.isMatch))
      if isLast { break }
      remainingWidth -= needed
    }
    return fitted
  }

  private static func lastColumns(of text: String, _ width: Int) -> String {
    if displayWidth(text) <= width { return text }
    var used = 1
    let suffix = text.reversed().prefix { character in
      used += displayWidth(String(character))
      return used <= width
    }
    return "…" + String(suffix.reversed())
  }
}
