import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The formats for exporting an entry.
package enum ShareFormat: String, CaseIterable, Sendable {
  /// Clean Markdown.
  case md
  /// One HTML page that contains everything.
  case html
  /// Plain text.
  case text
  /// The public JSON form, with the body.
  case json

  /// Creates the format that a file name's extension stands for.
  package init?(fileName: String) {
    guard let format = ExportFormat(fileName: fileName) else { return nil }
    self.init(rawValue: format.rawValue)
  }

  /// True if a file name's extension is known or absent.
  package static func isKnown(fileName: String) -> Bool {
    (fileName as NSString).pathExtension.isEmpty || ShareFormat(fileName: fileName) != nil
  }

  /// The media type for a clipboard.
  var mediaType: String { self == .html ? "text/html" : "text/plain;charset=utf-8" }
}

/// The dates and the language of an export.
package struct ShareLocale: Sendable {
  /// Returns an entry's day and time as text; `nil` for an undated entry.
  package var date: @Sendable (EntrySummary) -> String?
  /// The language's BCP 47 tag.
  package var language: String?

  /// Creates the locale of a language.
  package init(language: String?, date: @escaping @Sendable (EntrySummary) -> String?) {
    self.language = language
    self.date = date
  }
}

/// An exported copy of entries.
package struct ExportedDocument: Sendable {
  /// The content of the document.
  package var bytes: [UInt8]
  /// Its format.
  package var format: ShareFormat
  /// The title of the only entry, or the titles of the first and the last.
  package var title: String
  /// Warnings about pictures that are missing from it, to be printed once.
  package var notes: [String]
}

extension Entries {
  /// A self-contained copy of the entries, oldest first, without duplicates.
  package func exportedDocument(
    of entries: [EntrySummary], as format: ShareFormat, _ locale: ShareLocale
  ) throws -> ExportedDocument {
    var seen: Set<EntryPath> = []
    // Numbers count from the newest.
    let ordered = entries.filter { seen.insert($0.path).inserted }
      .sorted { $0.number > $1.number }
    let media = format == .html ? LinkedFileLookup(journal) : nil
    let shared = try ordered.map {
      exportEntry($0, try journal.catalog.text(of: $0.path), locale, showing: media)
    }
    var embedder = PictureEmbedder(folder: journal.folder)
    let bytes: [UInt8] =
      switch format {
      case .md: Array(cleanMarkdown(of: shared).utf8)
      case .text: Array(plainText(of: shared).utf8)
      case .json: try entriesJSON(shared)
      case .html:
        Array(
          htmlPage(of: shared, language: locale.language) { entry, link in
            embedder.picture(of: entry.summary.path, link)
          }.utf8)
      }
    return ExportedDocument(
      bytes: bytes, format: format, title: joinedTitle(of: ordered), notes: embedder.notices)
  }

  /// An entry formatted for a terminal. `text` may be an earlier version of it.
  package func terminalLines(
    of entry: EntrySummary, _ text: EntryText, _ locale: ShareLocale, width: Int, isStyled: Bool
  ) -> [String] {
    EntryFormats.terminalLines(
      of: exportEntry(entry, text, locale), width: width, isStyled: isStyled)
  }

  /// An entry prepared for export, in a vault of Obsidian without its `%%comments%%`. With `media`,
  /// pictures in `![[…]]` and links in `[[…]]` become Markdown.
  func exportEntry(
    _ entry: EntrySummary, _ text: EntryText, _ locale: ShareLocale,
    showing media: LinkedFileLookup? = nil
  ) -> ExportEntry {
    let weather = entry.weather.flatMap { $0.isOptOut ? nil : $0 }
    var body = text.body
    if journal.settings.isVault { body = withoutVaultComments(body) }
    if let media {
      body = textWithMarkdownLinks(
        body, of: entry.path, file: { media.files(of: $0).first }, note: media.note)
    }
    return ExportEntry(
      entry, dateText: locale.date(entry),
      weatherText: weather?.displayText(in: journal.settings.units) { $0.localizedName },
      isNight: entry.isNight, body: body)
  }
}
