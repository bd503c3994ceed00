import DiaryCore
import EntryFormats
import Foundation
import Localization

/// Writes entries into one document in sequence, without holding all of them in memory.
struct DocumentWriter {
  let source: ExportSource
  let progress: (_ done: Int, _ of: Int) -> Void
  /// Receives the document's bytes in parts.
  let output: ([UInt8]) throws -> Void

  /// Writes the document and returns its number of entries.
  func write(_ entries: [EntrySummary], as format: ExportFormat) throws -> Int {
    switch format {
    case .md:
      return try writeEachInParallel(of: entries, between: markdownSeparator) {
        cleanMarkdown(of: $0)
      }
    case .text:
      return try writeEachInParallel(of: entries, between: plainTextSeparator) { plainText(of: $0) }
    case .jrnl: return try writeJrnl(entries)
    case .csv:
      try write(CSVExport.header)
      return try writeEach(of: entries) { entry, _ in
        CSVExport.row(of: try source.wholeEntry(entry))
      }
    case .html:
      try write(htmlPageStart(titled: joinedTitle(of: entries), language: source.locale.tag))
      let count = try writeEach(of: entries) { entry, index in
        let text = try source.journal.catalog.text(of: entry.path)
        return htmlArticle(of: source.exportEntry(entry, text), number: index + 1) {
          source.picture(of: entry.path, $0)
        }
      }
      try write(htmlPageEnd)
      return count
    case .json: return try writeJSON(entries)
    case .jsonl: return try writeJSONLines(entries)
    case .folder, .site, .epub, .pdf, .dayone, .backup:
      preconditionFailure("\(format.rawValue) is no document")
    }
  }

  private func write(_ text: String) throws { try output(Array(text.utf8)) }

  /// Writes each entry and returns the count. An entry for which `text` is `nil` is skipped.
  private func writeEach(
    of entries: [EntrySummary], between: String = "",
    _ text: (_ entry: EntrySummary, _ index: Int) throws -> String?
  ) throws -> Int {
    var count = 0
    for (index, entry) in entries.enumerated() {
      try Task.checkCancellation()
      if let text = try text(entry, index) {
        try write((count > 0 ? between : "") + text)
        count += 1
      }
      progress(index + 1, entries.count)
    }
    return count
  }

  /// Writes the entries on all processors, some hundreds at a time.
  private func writeEachInParallel(
    of entries: [EntrySummary], between: String,
    _ text: @escaping @Sendable (_ entry: ExportEntry) -> String
  ) throws -> Int {
    let (journal, words) = (source.journal, source.locale.shareLocale)
    return try writePortions(of: entries, between: between) { entry in
      text(journal.entries.exportEntry(entry, try journal.catalog.text(of: entry.path), words))
    }
  }

  private func writeJrnl(_ entries: [EntrySummary]) throws -> Int {
    for entry in entries where entry.date == nil {
      source.addNotice(
        localized("\(entry.path.text) was skipped: it has no date, and jrnl needs one"))
    }
    let journal = source.journal
    let settings = journal.settings
    return try writePortions(of: entries.filter { $0.date != nil }, between: "\n") { entry in
      let text = try journal.catalog.text(of: entry.path)
      let parted = text.splitBody(at: entry.path, settings: settings)
      return jrnlText(of: WholeEntry(entry, text: text, splitBody: parted, attachments: []))
    }
  }

  private func writePortions(
    of entries: [EntrySummary], between: String,
    _ text: @escaping @Sendable (_ entry: EntrySummary) throws -> String?
  ) throws -> Int {
    var count = 0
    for start in stride(from: 0, to: entries.count, by: 400) {
      try Task.checkCancellation()
      let part = Array(entries[start..<min(start + 400, entries.count)])
      var written: [UInt8] = []
      for made in concurrentMap(part, chunkSize: 50, { entry in Result { try text(entry) } }) {
        guard let text = try made.get() else { continue }
        if count > 0 { written += between.utf8 }
        written += text.utf8
        count += 1
      }
      try output(written)
      progress(start + part.count, entries.count)
    }
    return count
  }

  private func writeJSON(_ entries: [EntrySummary]) throws -> Int {
    try write(JSONExport.delimiters.start)
    for (index, entry) in entries.enumerated() {
      if index > 0 { try write(JSONExport.delimiters.between) }
      try writeObject(entry, isLine: false)
      progress(index + 1, entries.count)
    }
    try write(JSONExport.delimiters.end)
    return entries.count
  }

  private func writeJSONLines(_ entries: [EntrySummary]) throws -> Int {
    for (index, entry) in entries.enumerated() {
      try writeObject(entry, isLine: true)
      try write("\n")
      progress(index + 1, entries.count)
    }
    return entries.count
  }

  private func writeObject(_ listed: EntrySummary, isLine: Bool) throws {
    try Task.checkCancellation()
    let entry = try source.wholeEntry(listed)
    try output(try JSONExport.entryStart(of: entry, isLine: isLine))
    for (index, file) in entry.attachments.enumerated() {
      if index > 0 { try write(",") }
      try output(try JSONExport.attachmentStart(file, hasData: source.shouldIncludeAttachments))
      guard source.shouldIncludeAttachments else { continue }
      try source.read(file) { try output(Array(Data($0).base64EncodedString().utf8)) }
      try write("\"}")
    }
    try write("]}")
  }
}
