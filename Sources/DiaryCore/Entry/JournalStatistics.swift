/// Counts over entries: entries and words, days and streaks, weekdays, hours, tags and weather.
package struct JournalStatistics: Sendable {
  /// Consecutive days on which something was written.
  package struct Streak: Sendable, Equatable {
    /// The first and the last day.
    package var days: ClosedRange<Day>

    /// The number of days.
    package var length: Int { days.length }
  }

  /// The entries and the words of one day.
  package struct DayCount: Sendable, Equatable {
    package var entries = 0
    package var words = 0
  }

  package private(set) var entries = 0
  package private(set) var words = 0
  /// Contains only entries that have a date.
  package private(set) var days: [Day: DayCount] = [:]
  /// Entries by weekday, Monday first.
  package private(set) var weekdays = [Int](repeating: 0, count: 7)
  /// Entries by the hour of the wall clock, if they have a time.
  package private(set) var hours = [Int](repeating: 0, count: 24)
  /// Entries by weather condition.
  package private(set) var weather: [Condition: Int] = [:]
  /// The entry with the most words; of several, the newest.
  package private(set) var longestEntry: EntrySummary?
  /// The streak that reaches today or yesterday: today does not break it before it is over.
  package private(set) var currentStreak: Streak?
  /// The longest streak; of several, the newest.
  package private(set) var longestStreak: Streak?
  private var spellings: [String: [String: Int]] = [:]
  /// The word counts that a quarter, a half and three quarters of the days do not exceed.
  private var quartiles: [Int] = []

  /// Counts the entries, given newest first, relative to the diary's `today`.
  package init(of summaries: [EntrySummary], today: Day) {
    for entry in summaries { add(entry) }
    let sorted = days.values.map(\.words).sorted()
    if !sorted.isEmpty { quartiles = (1...3).map { sorted[(sorted.count * $0 + 3) / 4 - 1] } }
    var streak: Streak?
    for day in days.keys.sorted() {
      if let known = streak, known.days.upperBound.adding(1) == day {
        streak = Streak(days: known.days.lowerBound...day)
      } else {
        streak = Streak(days: day...day)
      }
      guard let streak else { continue }
      if streak.length >= longestStreak?.length ?? 0 { longestStreak = streak }
      if (today.adding(-1)...today).contains(day) { currentStreak = streak }
    }
  }

  private mutating func add(_ entry: EntrySummary) {
    entries += 1
    words += entry.words
    if entry.words > longestEntry?.words ?? 0 { longestEntry = entry }
    if let condition = entry.weather?.condition { weather[condition, default: 0] += 1 }
    for tag in Set(entry.tags) { spellings[tag.lowercased(), default: [:]][tag, default: 0] += 1 }
    if let seconds = entry.date?.seconds { hours[seconds / 3600 % 24] += 1 }
    guard let day = entry.day else { return }
    days[day, default: DayCount()].entries += 1
    days[day, default: DayCount()].words += entry.words
    weekdays[day.weekday - 1] += 1
  }

  /// The spans of time by which days are added up.
  package enum Span: String, Sendable, CaseIterable { case month, year }

  /// The entries and the words of each month or year in which something was written, oldest first.
  /// Each stands under its first day.
  package func counts(by span: Span) -> [(start: Day, count: DayCount)] {
    var counts: [Day: DayCount] = [:]
    for (day, count) in days {
      let (year, month, _) = day.components
      guard let start = Day(year: year, month: span == .month ? month : 1, day: 1) else { continue }
      counts[start, default: DayCount()].entries += count.entries
      counts[start, default: DayCount()].words += count.words
    }
    return counts.sorted { $0.key < $1.key }.map { (start: $0.key, count: $0.value) }
  }

  /// The tags in their most common spelling, the most used first.
  package var tags: [TagCount] {
    spellings.values.compactMap { spelled in
      spelled.max { ($0.value, $1.key) < ($1.value, $0.key) }.map {
        TagCount(tag: $0.key, count: spelled.values.reduce(0, +))
      }
    }.sorted { ($1.count, $0.tag) < ($0.count, $1.tag) }
  }

  /// The amount written on a day compared with other days, from 0 (nothing) to 4. The shade is the
  /// quarter of the days with words that contains the day; if most days are alike, 2 for all.
  package func shade(of day: Day) -> Int {
    guard let count = days[day] else { return 0 }
    let areAlike = 4 * quartiles[2] <= 5 * quartiles[0]
    return areAlike ? 2 : 1 + quartiles.count { count.words > $0 }
  }
}
