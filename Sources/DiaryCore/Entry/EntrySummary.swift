// The results of the list and the search: values that the index creates and the program shows.

/// The sort key of a row of the list. A page that continues below a row neither repeats nor skips
/// rows when other entries are added or removed.
package struct ListCursor: Hashable, Sendable {
  /// The diary's day; `nil` if undated.
  package var day: Day?
  /// Unix seconds; `nil` if undated.
  package var instant: Int?
  /// The path of the file.
  package var path: EntryPath

  package init(day: Day?, instant: Int?, path: EntryPath) {
    self.day = day
    self.instant = instant
    self.path = path
  }
}

/// The filter of a list. Without limits, it accepts all entries.
package struct ListFilter: Hashable, Sendable {
  /// The first day. Both ends are included, and an undated entry is in no range.
  package var since: Day?
  /// The last day; see ``since``.
  package var until: Day?
  /// The first moment (Unix seconds); a date without a time counts as the start of its day.
  package var fromInstant: Int?
  /// The moment after the last; see ``fromInstant``.
  package var beforeInstant: Int?
  /// Tags that an entry must all have, folded; `work` also accepts `work/garden`.
  package var tags: [String]
  /// Tags of which an entry must have at least one, if there are any; see ``tags``.
  package var anyTags: [String] = []
  /// Tags that an entry must not have; see ``tags``.
  package var withoutTags: [String] = []
  /// True if only starred entries are accepted.
  package var isStarred = false
  /// True if only entries are accepted whose text may show pictures or other files.
  package var showsFiles = false
  /// The name of a condition, or else any part of the entry's weather; folded.
  package var weather: String?
  /// A kind of weather that is meant by the text in another language; entries of either are listed.
  package var weatherCondition: Condition?
  /// Accepts only rows below this one in newest-first order.
  package var afterCursor: ListCursor?
  /// Accepts only this row and those above it in newest-first order.
  package var throughCursor: ListCursor?
  /// True for the oldest first.
  package var isReversed: Bool
  /// The maximum number of entries, applied last, in the order of ``isReversed``.
  package var limit: Int?
  /// The number of entries to skip before the first, in the same order as ``limit``.
  package var offset: Int
  /// True if each entry has its preview; a list without previews is faster.
  package var needsPreviews = true

  /// A filter; an omitted argument accepts everything.
  package init(
    since: Day? = nil, until: Day? = nil, fromInstant: Int? = nil, beforeInstant: Int? = nil,
    tags: [String] = [],
    weather: String? = nil,
    isReversed: Bool = false, limit: Int? = nil, offset: Int = 0
  ) {
    self.since = since
    self.until = until
    self.fromInstant = fromInstant
    self.beforeInstant = beforeInstant
    self.tags = tags
    self.weather = weather
    self.isReversed = isReversed
    self.limit = limit
    self.offset = offset
  }
}

/// A row of the list.
package struct EntrySummary: Hashable, Sendable {
  /// The position in the whole list, 1 for the newest entry.
  package var number: Int
  /// The path of the file.
  package var path: EntryPath
  /// Never empty.
  package var title: String
  /// `nil` if the entry is undated.
  package var date: EntryDate?
  /// The diary's day; `nil` if undated.
  package var day: Day?
  /// The weather as it is written in the entry.
  package var weather: Weather?
  /// In order of appearance, without `#`.
  package var tags: [String]
  /// The header's `place`, if any.
  package var place: String?
  /// True if the header has `starred: true`.
  package var isStarred: Bool
  /// The number of words in the body.
  package var words: Int
  /// The body's first words, on one line.
  package var preview: String

  package init(
    number: Int, path: EntryPath, title: String, date: EntryDate?, day: Day?, weather: Weather?,
    tags: [String], place: String?, isStarred: Bool = false, words: Int, preview: String
  ) {
    self.number = number
    self.path = path
    self.title = title
    self.date = date
    self.day = day
    self.weather = weather
    self.tags = tags
    self.place = place
    self.isStarred = isStarred
    self.words = words
    self.preview = preview
  }
}

extension EntrySummary {
  /// The position in the list.
  package var cursor: ListCursor { ListCursor(day: day, instant: date?.instant, path: path) }
}

/// A tag in its most common spelling, and the number of entries with it.
package struct TagCount: Hashable, Sendable {
  /// Without `#`.
  package var tag: String
  /// Entries, not occurrences; every spelling counts.
  package var count: Int

  package init(tag: String, count: Int) {
    self.tag = tag
    self.count = count
  }
}
