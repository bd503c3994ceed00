// What the list and the search answer: values that the index makes and the program shows.

/// Which entries of the list are wanted; without any limits, all of them.
public struct ListFilter: Hashable, Sendable {
  /// The first day; both ends are included, and an undated entry lies in no span.
  public var since: Day?
  /// The last day; see ``since``.
  public var until: Day?
  /// The first moment (Unix seconds); a date without a time counts as the beginning of its day.
  public var from: Int?
  /// The moment after the last; see ``from``.
  public var before: Int?
  /// Every one of these tags, or one below it (`work` also takes `work/garden`); folded.
  public var tags: [String]
  /// The name of a condition, else any part of what stands in the entry; folded.
  public var weather: String?
  /// Oldest first.
  public var reverse: Bool
  /// Applied last, to the order that ``reverse`` asks for.
  public var limit: Int?
  /// How many are passed over before the first, counted like ``limit``.
  public var offset: Int
  /// Whether each comes with its preview; a list that does not show it is made faster without.
  public var previews = true

  /// A filter; every part left out lets everything through.
  public init(
    since: Day? = nil, until: Day? = nil, from: Int? = nil, before: Int? = nil, tags: [String] = [],
    weather: String? = nil,
    reverse: Bool = false, limit: Int? = nil, offset: Int = 0
  ) {
    self.since = since
    self.until = until
    self.from = from
    self.before = before
    self.tags = tags
    self.weather = weather
    self.reverse = reverse
    self.limit = limit
    self.offset = offset
  }
}

/// One line of the list.
public struct ListedEntry: Hashable, Sendable {
  /// 1 for the newest entry, counted over the whole list.
  public var number: Int
  /// Where its file lies.
  public var path: EntryPath
  /// Never empty.
  public var title: String
  /// `nil` when the entry is undated.
  public var date: EntryDate?
  /// The diary's day; `nil` when undated.
  public var day: Day?
  /// As it stands in the entry.
  public var weather: Weather?
  /// In order of appearance, without `#`.
  public var tags: [String]
  /// The header's `place`, if any.
  public var place: String?
  /// How many words the body has.
  public var words: Int
  /// The body's first words, on one line.
  public var preview: String

  /// A line from its parts.
  public init(
    number: Int, path: EntryPath, title: String, date: EntryDate?, day: Day?, weather: Weather?,
    tags: [String], place: String?, words: Int, preview: String
  ) {
    self.number = number
    self.path = path
    self.title = title
    self.date = date
    self.day = day
    self.weather = weather
    self.tags = tags
    self.place = place
    self.words = words
    self.preview = preview
  }
}

/// A tag as it is most often spelled, and how many entries bear it.
public struct TagCount: Hashable, Sendable {
  /// Without `#`.
  public var tag: String
  /// Entries, not occurrences; every spelling counts.
  public var count: Int

  /// A count from its parts.
  public init(tag: String, count: Int) {
    self.tag = tag
    self.count = count
  }
}
