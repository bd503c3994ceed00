import DiaryCore
import EntryFormats
import Foundation
import Testing

/// An entry read from the text of its file.
func whole(
  _ file: String, path: String = "2026/11/2026-11-21-walk.md", attachments: [ExportAttachment] = []
) throws -> WholeEntry { try whole(Array(file.utf8), path: path, attachments: attachments) }

/// An entry read from the bytes of its file.
func whole(
  _ bytes: [UInt8], path: String = "2026/11/2026-11-21-walk.md",
  attachments: [ExportAttachment] = []
) throws -> WholeEntry {
  let path = try #require(EntryPath(path))
  let text = EntryText(bytes)
  let entry = Entry(path: path, text: text, settings: Settings(), zone: .gmt)
  let listed = EntrySummary(
    number: 1, path: path, title: entry.title, date: entry.date, day: entry.day,
    weather: entry.weather, tags: entry.tags, place: entry.place, words: entry.words,
    preview: entry.preview)
  return WholeEntry(
    listed, text: text, splitBody: text.splitBody(at: path, settings: Settings()),
    attachments: attachments)
}

/// A file with a dated header, followed by `rest`.
func dated(_ rest: String, _ date: String = "2026-11-21T21:04:00+09:00") -> String {
  "---\ndate: \(date)\n---\n" + rest
}
