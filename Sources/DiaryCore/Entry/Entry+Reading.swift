import Foundation
import Localization

extension Entry {
  /// Reads an entry from its bytes and name under the journal's settings. `zone` is the time zone
  /// of a date that has none.
  package init(path: EntryPath, text: EntryText, settings: Settings, zone: TimeZone) {
    let body = text.body
    let bytes = text.bodyBytes
    let comments = settings.isVault ? vaultComments(in: bytes) : []
    let source = TitleFinder(path: path, text: text, bytes: bytes, comments: comments)
    let title = source.title(settings.titles)
    let (date, dateLints) = Entry.date(of: text, path: path, zone: zone)
    self.init(
      path: path, title: title.text, date: date,
      day: date?.day(startingAt: settings.dayStartsAt), weather: Entry.weather(of: text),
      tags: text.tags(marked: settings.tagMarks, without: comments), place: Entry.place(of: text),
      isStarred: text.isStarred, words: wordCount(body),
      preview: EntryBodyLines.preview(bytes, after: title.headingEnd, without: comments),
      body: body,
      header: text.header, lints: text.lints + dateLints)
  }

  /// The day alone, for counting files: a small part of the work.
  package static func day(
    of text: EntryText, path: EntryPath, settings: Settings, zone: TimeZone
  ) -> Day? {
    date(of: text, path: path, zone: zone).date?.day(startingAt: settings.dayStartsAt)
  }

  /// The date from `date` or its aliases, else from the file name and folders, else from what other
  /// programs use for it: other keys, and a line `Date: …` at the top of a text; never a clock.
  package static func date(
    of text: EntryText, path: EntryPath, zone: TimeZone
  ) -> (date: EntryDate?, lints: [Diagnostic]) {
    var lints: [Diagnostic] = []
    for key in EntryText.dateKeys {
      guard let field = text.field(key), let value = text.string(key) else { continue }
      if let date = EntryDate(written: value, zone: zone) { return (date, lints) }
      lints.append(
        Diagnostic(
          code: "unreadable-date", line: field.line,
          message: localized("\"\(field.key)\" has no date that Diary can read")))
    }
    if let day = path.impliedDay {
      return (EntryDate(wallClock: day, seconds: nil, zone: zone), lints)
    }
    for key in EntryText.foreignDateKeys {
      if let value = text.string(key), let date = EntryDate(written: value, zone: zone) {
        return (date, lints)
      }
    }
    // Words after the date make the line a sentence.
    if let value = text.bodyProperty("date"),
      let date = EntryDate(written: value, zone: zone, allowsMore: false)
    {
      return (date, lints)
    }
    lints.append(
      Diagnostic(
        code: "undated", line: nil,
        message: localized("neither the header nor the file name has a date")))
    return (nil, lints)
  }

  static func weather(of text: EntryText) -> Weather? {
    switch text.value("weather") {
    case .text(let words): Weather(reading: words)
    case .list(let words): Weather(reading: words.joined(separator: ", "))
    case .mapping(let pairs): Weather(mapping: pairs)
    case nil: nil
    }
  }

  static func place(of text: EntryText) -> String? {
    let name: String? =
      if case .mapping(let pairs) = text.value("place") {
        pairs.first { $0.0.lowercased() == "name" }?.1
      } else {
        text.string("place")
      }
    return name.map { trimmed($0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
