// What the list and the search answer: values that the index makes and the program shows.

/// A row of the list, by what decides its place: a page that goes on below it neither shows a row twice
/// nor leaves one out when others come or go.
package struct ListCursor: Hashable, Sendable {
  /// The diary's day; `nil` when undated.
  package var day: Day?
  /// Unix seconds; `nil` when undated.
  package var instant: Int?
  /// Where the file lies.
  package var path: EntryPath

  package init(day: Day?, instant: Int?, path: EntryPath) {
    self.day = day
    self.instant = instant
    self.path = path
  }
}

/// Which entries of the list are wanted; without any limits, all of them.
package struct ListFilter: Hashable, Sendable {
  /// The first day; both ends are included, and an undated entry lies in no span.
  package var since: Day?
  /// The last day; see ``since``.
  package var until: Day?
  /// The first moment (Unix seconds); a date without a time counts as the beginning of its day.
  package var fromInstant: Int?
  /// The moment after the last; see ``from``.
  package var beforeInstant: Int?
  /// Every one of these tags, or one below it (`work` also takes `work/garden`); folded.
  package var tags: [String]
  /// One of these tags at least, if there are any; as in ``tags``.
  package var anyTags: [String] = []
  /// None of these tags; as in ``tags``.
  package var withoutTags: [String] = []
  /// Only those that bear a star.
  package var isStarred = false
  /// The name of a condition, else any part of what stands in the entry; folded.
  package var weather: String?
  /// Only what stands below this row in the order of the newest first.
  package var afterCursor: ListCursor?
  /// Oldest first.
  package var isReversed: Bool
  /// Applied last, to the order that ``reverse`` asks for.
  package var limit: Int?
  /// How many are passed over before the first, counted like ``limit``.
  package var offset: Int
  /// Whether each comes with its preview; a list that does not show it is made faster without.
  package var needsPreviews = true

  /// A filter; every part left out lets everything through.
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

/// One line of the list.
package struct EntrySummary: Hashable, Sendable {
  /// 1 for the newest entry, counted over the whole list.
  package var number: Int
  /// Where its file lies.
  package var path: EntryPath
  /// Never empty.
  package var title: String
  /// `nil` when the entry is undated.
  package var date: EntryDate?
  /// The diary's day; `nil` when undated.
  package var day: Day?
  /// As it stands in the entry.
  package var weather: Weather?
  /// In order of appearance, without `#`.
  package var tags: [String]
  /// The header's `place`, if any.
  package var place: String?
  /// Whether its header says `starred: true`.
  package var isStarred: Bool
  /// How many words the body has.
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
  /// Its place in the list.
  package var cursor: ListCursor { ListCursor(day: day, instant: date?.instant, path: path) }
}

/// A tag as it is most often spelled, and how many entries bear it.
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
