import Foundation

@testable import DiaryCore

private let zone = TimeZone(identifier: "Asia/Seoul") ?? .current

/// Checks a date, an entry reference, a weather or a name as a user types it.
func dateComplaint(_ input: [UInt8]) -> String? {
  let text = decodedText(input)
  guard let today = Day(year: 2026, month: 11, day: 21) else { return nil }
  let now = 1_795_262_640
  if let when = DateExpression(reading: text, today: today, now: now, zone: zone) {
    if let days = when.days(startingAt: 18_000), days.lowerBound > days.upperBound {
      return "days that end before they begin"
    }
    if let span = when.instants(dayStart: 18_000, zone: zone), span.isEmpty {
      return "a span of no time"
    }
    if let date = when.entryDate(zone: zone) {
      if !isReadBackEqual(date) { return "\(date) is not read as it is written" }
    }
  }
  let reference = EntryReference(reading: text, today: today, now: now, zone: zone)
  if (reference == nil) != trimmed(text).isEmpty { return "a reference that is none" }
  if let date = EntryDate(reading: text, zone: zone) {
    _ = (date.instant, date.day(startingAt: 86_399), date.clock)
    if !isReadBackEqual(date) { return "\(date) is not read as it is written" }
  }
  if let weather = Weather(reading: text) {
    if weather.text.isEmpty { return "a weather without words" }
    for units in Units.allCases { _ = weather.displayText(in: units) }
  }
  return nameComplaint(input, today)
}

/// Whether a written date is read as the same date. A date without a time is written without its
/// zone, and the seconds in zones of old local times are never written.
private func isReadBackEqual(_ date: EntryDate) -> Bool {
  guard let again = EntryDate(reading: date.description, zone: zone) else { return false }
  return again.date == date.date && again.seconds == date.seconds
    && (again.offset == date.offset || date.seconds == nil || !date.offset.isMultiple(of: 60))
}

private func nameComplaint(_ input: [UInt8], _ today: Day) -> String? {
  if let path = EntryPath(bytes: input) {
    if path.impliedDay == nil, path.isDateOnlyName { return "a name of a date without a day" }
    _ = (FileName.isNeverSaved(path), FileName.isSecret(path), path.stem, path.folder)
    let apart = path.conflictCopyPath(contentID: "12345678")
    if EntryPath(bytes: apart.bytes) != apart { return "a twin's name is no path" }
  }
  let name = slug(of: decodedText(input))
  if name.utf8.count > 80 || name.contains("/") || name.hasPrefix(".") { return "slug \(name)" }
  if let layout = PathTemplate(decodedText(input)) {
    let date = EntryDate(date: today, seconds: 60, offset: 0)
    let made = layout.path(title: decodedText(input), date: date, day: today)
    if !made.isMarkdown || made.isHidden { return "a layout that leads to \(made)" }
    if made.names.contains(where: { $0.elementsEqual("..".utf8) }) { return "out of the journal" }
  }
  return nil
}
