import DiaryCore
import Localization

/// A chapter of a book: a month, or the undated entries.
package struct BookChapter: Sendable {
  /// The heading, also in the table of contents.
  package let title: String
  /// A name for links and files, such as `2026-11`.
  package let name: String
  package let entries: [EntrySummary]

  /// The chapters of entries, which are oldest first; `month` returns a day's month, such as
  /// `November 2026`. Undated entries are the last chapter.
  package static func chapters(
    of entries: [EntrySummary], month: (Day) -> String
  ) -> [BookChapter] {
    let months = Dictionary(grouping: entries.filter { $0.day != nil }) { entry in
      String((entry.day?.description ?? "").prefix(7))
    }
    var chapters = months.sorted { $0.key < $1.key }.map { key, entries in
      BookChapter(title: entries.first?.day.map(month) ?? key, name: key, entries: entries)
    }
    let undated = entries.filter { $0.day == nil }
    if !undated.isEmpty {
      chapters.append(BookChapter(title: localized("Undated"), name: "undated", entries: undated))
    }
    return chapters
  }
}
