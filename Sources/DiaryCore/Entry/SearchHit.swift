/// An entry that a search found.
package struct SearchHit: Hashable, Sendable {
  /// The entry, with its number in the whole list.
  package var summary: EntrySummary
  /// How well the entry's weakest term stands in it; `wholeWord` for a regular expression.
  package var rank: MatchRank
  /// The line to show.
  package var match: MatchLine

  package init(summary: EntrySummary, rank: MatchRank, match: MatchLine) {
    self.summary = summary
    self.rank = rank
    self.match = match
  }
}

/// The line of an entry that shows best why it was found.
package struct MatchLine: Hashable, Sendable {
  /// What the line is.
  package enum Field: Hashable, Sendable { case body, title, tags, header }

  /// What the line is.
  package var field: Field
  /// The line as it is written, without the blanks around it; tags with `#`, between blanks.
  package var text: String
  /// What to highlight, as offsets into ``text``'s UTF-8, in order and apart from each other.
  package var ranges: [Range<Int>]

  /// A line and what to highlight in it.
  package init(field: Field, text: String, ranges: [Range<Int>]) {
    self.field = field
    self.text = text
    self.ranges = ranges
  }
}

/// How well a term stands in a text; the smaller, the better.
package enum MatchRank: Int, Comparable, Sendable {
  case wholeWord, wordStart, insideWord

  /// The better first.
  package static func < (left: MatchRank, right: MatchRank) -> Bool {
    left.rawValue < right.rawValue
  }
}
