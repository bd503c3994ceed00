import DiaryCore
import DiaryKit
import HummingbirdCore

extension PageContext {
  /// The days of a year on which something was written, as `diary calendar` counts them.
  private struct Calendar: Encodable {
    struct WrittenDay: Encodable {
      let entries: Int
      let words: Int
      /// The share of the words, from 1 (few) to 4.
      let shade: Int
    }

    let year: Int
    /// The first and the last year with an entry.
    let first: Int
    let last: Int
    let today: String
    /// The first day of the user's week, 1 Monday to 7 Sunday.
    let firstWeekday: Int
    /// The language of the names of months and weekdays.
    let language: String
    let days: [String: WrittenDay]
  }

  /// `GET /api/calendar/YEAR`
  func calendar() async throws -> Response {
    guard let year = Int(wildcard), let start = Day(year: year, month: 1, day: 1),
      let end = Day(year: year, month: 12, day: 31)
    else { throw PageFailure.notFound }
    var filter = ListFilter(since: start, until: end)
    filter.needsPreviews = false
    let found = try await journal.catalog.statistics(filter)
    func yearAtEnd(isOldest: Bool) async throws -> Int {
      let end = ListFilter(since: .first, isReversed: isOldest, limit: 1)
      return try await journal.catalog.list(end).first?.day?.components.year ?? year
    }
    let days = found.days.map { day, count in
      (
        day.description,
        Calendar.WrittenDay(
          entries: count.entries, words: count.words, shade: found.shade(of: day))
      )
    }
    let dates = user.dates
    return try .json(
      Calendar(
        year: year, first: try await yearAtEnd(isOldest: true),
        last: try await yearAtEnd(isOldest: false),
        today: journal.today.description, firstWeekday: dates.firstWeekday,
        language: dates.tag ?? "en", days: Dictionary(uniqueKeysWithValues: days)))
  }
}
