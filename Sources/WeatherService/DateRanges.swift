import DiaryCore

/// The date ranges for history requests, one a calendar year: whole months, from the first to the
/// last needed. A provider never learns on which days the user wrote, and twenty years take twenty
/// requests.
func dateRanges(
  covering days: some Sequence<Day>, within bounds: ClosedRange<Day>
) -> [ClosedRange<Day>] {
  var spans: [Int: ClosedRange<Day>] = [:]
  for day in days where bounds.contains(day) {
    let span = spans[day.components.year]
    spans[day.components.year] =
      min(span?.lowerBound ?? day, day)...max(span?.upperBound ?? day, day)
  }
  return spans.sorted { $0.key > $1.key }.map { _, span in
    let (first, last) = (span.lowerBound.components, span.upperBound.components)
    let start = Day(year: first.year, month: first.month, day: 1) ?? span.lowerBound
    let end =
      Day(
        year: last.year, month: last.month, day: Day.length(ofMonth: last.month, year: last.year))
      ?? span.upperBound
    return max(start, bounds.lowerBound)...min(end, bounds.upperBound)
  }
}

extension Day {
  /// The UTC day of a moment in Unix seconds. `nil` outside the years 1 to 9999.
  init?(moment: Int) {
    guard supportedMoments.contains(moment) else { return nil }
    self.init(ordinal: (moment - nonNegativeRemainder(moment, 86_400)) / 86_400)
  }
}

/// The Unix seconds of the years 1 to 9999. Other moments are rejected before any arithmetic.
let supportedMoments = Day.span.lowerBound * 86_400...Day.span.upperBound * 86_400 + 86_399

/// The nearest full hour.
func nearestHour(_ moment: Int) -> Int {
  moment + 1800 - nonNegativeRemainder(moment + 1800, 3600)
}
