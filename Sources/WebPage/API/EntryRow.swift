import DiaryCore
import DiaryKit
import Foundation
import Localization

/// A row of the list, localized for its reader; used in documents and sent to the script.
struct EntryRow: Encodable, Sendable {
  struct WeatherIcon: Encodable, Sendable {
    let text: String
    @Nullable var condition: String?
    @Nullable var temperature: Double?
    let night: Bool
    /// The name of the icon, and its text for screen readers.
    @Nullable var icon: String?
    let label: String
  }

  /// The matching line of a search; `marks` are pairs of UTF-16 offsets, as used by browsers.
  struct Match: Encodable, Sendable {
    let line: String
    let marks: [[Int]]
  }

  /// The first picture of the entry.
  struct Picture: Encodable, Sendable {
    /// The address of its thumbnail.
    let thumbnail: String
    /// False if the browser has to make the thumbnail.
    let isMade: Bool

    init(_ picture: RowPicture) {
      thumbnail = "/t/\(picture.path.urlPath)?v=\(picture.version)"
      isMade = picture.hasThumbnail
    }
  }

  /// The path for display; ``href`` identifies the exact file.
  let path: String
  let href: String
  let title: String
  @Nullable var date: String?
  @Nullable var day: String?
  @Nullable var dateText: String?
  /// The day of the month, the weekday and the time, if the row stands below its month's heading.
  @Nullable var number: Int?
  @Nullable var weekday: String?
  @Nullable var time: String?
  @Nullable var month: String?
  @Nullable var weather: WeatherIcon?
  let starred: Bool
  let preview: String
  let tags: [String]
  let match: Match?
  /// The marks of a search in the title.
  let titleMarks: [[Int]]?
  @Nullable var picture: Picture?

  /// - Parameter isAlone: True for a row without the heading of its month, which shows the date.
  init(
    _ entry: EntrySummary, for user: PageUser, match: MatchLine? = nil, isAlone: Bool = false
  ) {
    path = entry.path.text
    href = "/e/" + entry.path.urlPath
    title = terminalLine(entry.title)
    date = entry.date?.description
    day = entry.day?.description
    let wallDay = entry.date?.date ?? entry.day
    dateText = wallDay.map { user.dates.longText(of: $0) }
    if let wallDay, !isAlone {
      number = wallDay.components.day
      weekday = user.weekdays[wallDay.weekday - 1]
      time = user.dates.timeText(of: entry.date)
    }
    month = entry.day.map { user.dates.monthText(of: $0) }
    weather = entry.weather.flatMap {
      $0.isOptOut ? nil : WeatherIcon($0, isNight: entry.isNight, units: user.units)
    }
    starred = entry.isStarred
    // The two lines of a narrow row show no more; the whole entry is one tap away.
    preview = truncated(terminalLine(entry.preview), toWidth: 90)
    tags = entry.tags.map { terminalLine($0) }
    // A match that the title already shows needs no excerpt.
    let line = match.map { terminalLine(String($0.text.drop { "# ".contains($0) })) }
    let isTitle = match?.field == .title || line == title
    self.match = isTitle ? nil : match.map { Match($0) }
    let titleMatch = isTitle ? match.map { Match($0, isTitle: true) } : nil
    titleMarks = titleMatch?.line == title ? titleMatch?.marks : nil
  }
}

extension EntryRow.WeatherIcon {
  init(_ weather: Weather, isNight: Bool, units: Units) {
    text = terminalLine(weather.displayText(in: units) { $0.localizedName })
    condition = weather.condition?.rawValue
    temperature = weather.celsius
    night = isNight
    icon = weather.condition?.iconName(isNight: isNight)
    label = weather.condition?.localizedName ?? text
  }
}

extension EntryRow.Match {
  /// Starts the line a little before its first mark, because a row shows only the start; a title after the
  /// signs of a heading.
  init(_ match: MatchLine, isTitle: Bool = false) {
    let bytes = Array(match.text.utf8)
    var start = isTitle ? bytes.prefix { $0 == UInt8(ascii: "#") || $0.isSpace }.count : 0
    var (line, marks): (String, [[Int]]) = ("", [])
    if !isTitle, let first = match.ranges.first?.lowerBound, first > 16 {
      // Start at a character, and at a word if one starts there.
      start = first - 14
      while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
      let blank = bytes[start..<first].firstIndex(of: UInt8(ascii: " "))
      start = blank.map { $0 + 1 } ?? start
      line = "…"
    }
    func add(_ range: Range<Int>) {
      line += terminalLine(String(decoding: bytes[range], as: UTF8.self))
    }
    var next = start
    for range in match.ranges where range.lowerBound >= next && range.upperBound <= bytes.count {
      add(next..<range.lowerBound)
      let begin = line.utf16.count
      add(range)
      marks.append([begin, line.utf16.count])
      next = range.upperBound
      if line.utf16.count > 160 { break }
    }
    var end = min(bytes.count, max(next, start + 400))
    while end < bytes.count, end > next, bytes[end] & 0xC0 == 0x80 { end -= 1 }
    add(next..<end)
    (self.line, self.marks) = (line, marks)
  }
}
