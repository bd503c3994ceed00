/// An entry that a search found.
public struct SearchHit: Hashable, Sendable {
  /// The entry, with its number in the whole list.
  public var listed: ListedEntry
  /// How well the entry's weakest term stands in it; `wholeWord` for a regular expression.
  public var rank: MatchRank
  /// The line to show.
  public var match: MatchLine
  /// What to highlight in the title, as offsets into its UTF-8.
  public var titleRanges: [Range<Int>]

  /// A hit from its parts.
  public init(listed: ListedEntry, rank: MatchRank, match: MatchLine, titleRanges: [Range<Int>]) {
    self.listed = listed
    self.rank = rank
    self.match = match
    self.titleRanges = titleRanges
  }
}

/// The line of an entry that shows best why it was found.
public struct MatchLine: Hashable, Sendable {
  /// What the line is.
  public enum Field: Hashable, Sendable { case body, title, tags, header }

  /// What the line is.
  public var field: Field
  /// The line as it is written, without the blanks around it; tags with `#`, between blanks.
  public var text: String
  /// What to highlight, as offsets into ``text``'s UTF-8, in order and apart from each other.
  public var ranges: [Range<Int>]

  /// A line and what to highlight in it.
  public init(field: Field, text: String, ranges: [Range<Int>]) {
    self.field = field
    self.text = text
    self.ranges = ranges
  }
}

/// How well a term stands in a text; the smaller, the better.
public enum MatchRank: Int, Comparable, Sendable {
  case wholeWord, wordStart, inside

  /// The better first.
  public static func < (left: MatchRank, right: MatchRank) -> Bool {
    left.rawValue < right.rawValue
  }
}
