import DiaryCore
import EntryFormats
import Foundation
import Localization

/// Writes entries into one document, one after the other, so that no more than one is held in memory.
struct DocumentWriter {
  let source: ExportSource
  let progress: (_ done: Int, _ of: Int) -> Void
  /// Takes the document's bytes, part by part.
  let take: ([UInt8]) throws -> Void

  /// Answers how many entries are in the document.
  func write(_ entries: [EntrySummary], as format: ExportFormat) throws -> Int {
    switch format {
    case .md:
      return try eachSideBySide(of: entries, between: markdownSeparator) {
        cleanMarkdown(of: $0)
      }
    case .text:
      return try eachSideBySide(of: entries, between: plainTextSeparator) { plainText(of: $0) }
    case .jrnl: return try writeJrnl(entries)
    case .csv:
      try write(CSVExport.head)
      return try each(of: entries) { entry, _ in CSVExport.row(of: try source.whole(entry)) }
    case .html:
      try write(htmlPageStart(titled: joinedTitle(of: entries), language: source.locale.tag))
      let count = try each(of: entries) { entry, index in
        let text = try source.journal.text(of: entry.path)
        return htmlArticle(of: source.shared(entry, text), number: index + 1) {
          source.picture(of: entry.path, $0)
        }
      }
      try write(htmlPageEnd)
      return count
    case .json: return try writeJSON(entries)
    case .jsonl: return try writeLines(entries)
    case .folder, .site, .epub, .dayone, .backup:
      preconditionFailure("\(format.rawValue) is no document")
    }
  }

  private func write(_ text: String) throws { try take(Array(text.utf8)) }

  /// Goes through the entries; one of which `text` makes nothing is left out.
  private func each(
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

  /// Goes through the entries with the machine's processors, some hundreds at a time.
  private func eachSideBySide(
    of entries: [EntrySummary], between: String,
    _ text: @escaping @Sendable (_ entry: ExportEntry) -> String
  ) throws -> Int {
    let (journal, words) = (source.journal, source.locale.shareWords)
    return try portions(of: entries, between: between) { entry in
      text(journal.shared(entry, try journal.text(of: entry.path), words))
    }
  }

  private func writeJrnl(_ entries: [EntrySummary]) throws -> Int {
    for entry in entries where entry.date == nil {
      source.note(localized("\(entry.path.text) is left out: it has no date, and jrnl needs one"))
    }
    let journal = source.journal
    let settings = journal.settings
    return try portions(of: entries.filter { $0.date != nil }, between: "\n") { entry in
      let text = try journal.text(of: entry.path)
      let parted = text.parted(at: entry.path, settings: settings)
      return jrnlText(of: WholeEntry(entry, text: text, parted: parted, attachments: []))
    }
  }

  private func portions(
    of entries: [EntrySummary], between: String,
    _ text: @escaping @Sendable (_ entry: EntrySummary) throws -> String?
  ) throws -> Int {
    var count = 0
    for start in stride(from: 0, to: entries.count, by: 400) {
      try Task.checkCancellation()
      let part = Array(entries[start..<min(start + 400, entries.count)])
      var written: [UInt8] = []
      for made in sideBySide(part, portion: 50, { entry in Result { try text(entry) } }) {
        guard let text = try made.get() else { continue }
        if count > 0 { written += between.utf8 }
        written += text.utf8
        count += 1
      }
      try take(written)
      progress(start + part.count, entries.count)
    }
    return count
  }

  private func writeJSON(_ entries: [EntrySummary]) throws -> Int {
    try write(JSONExport.brackets.start)
    for (index, entry) in entries.enumerated() {
      if index > 0 { try write(JSONExport.brackets.between) }
      try writeObject(entry, isLine: false)
      progress(index + 1, entries.count)
    }
    try write(JSONExport.brackets.end)
    return entries.count
  }

  private func writeLines(_ entries: [EntrySummary]) throws -> Int {
    for (index, entry) in entries.enumerated() {
      try writeObject(entry, isLine: true)
      try write("\n")
      progress(index + 1, entries.count)
    }
    return entries.count
  }

  private func writeObject(_ listed: EntrySummary, isLine: Bool) throws {
    try Task.checkCancellation()
    let entry = try source.whole(listed)
    try take(try JSONExport.opening(of: entry, isLine: isLine))
    for (index, file) in entry.attachments.enumerated() {
      if index > 0 { try write(",") }
      try take(try JSONExport.attachment(file, hasData: source.takesAttachments))
      guard source.takesAttachments else { continue }
      try source.read(file) { try take(Array(Data($0).base64EncodedString().utf8)) }
      try write("\"}")
    }
    try write("]}")
  }
}
