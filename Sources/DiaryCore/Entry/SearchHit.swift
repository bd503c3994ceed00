/// An entry that a search found.
package struct SearchHit: Hashable, Sendable {
  /// The entry, with its number in the whole list.
  package var summary: EntrySummary
  /// The line to show.
  package var match: MatchLine

  package init(summary: EntrySummary, match: MatchLine) {
    self.summary = summary
    self.match = match
  }
}

/// The line of an entry that best shows why it was found.
package struct MatchLine: Hashable, Sendable {
  /// The part of the entry that contains the line.
  package enum Field: Hashable, Sendable { case body, title, tags, header }

  package var field: Field
  /// The line as written, without the blanks around it; tags have `#`, with blanks between them.
  package var text: String
  /// The ranges to highlight: offsets into ``text``'s UTF-8, in order and separate.
  package var ranges: [Range<Int>]

  package init(field: Field, text: String, ranges: [Range<Int>]) {
    self.field = field
    self.text = text
    self.ranges = ranges
  }
}
