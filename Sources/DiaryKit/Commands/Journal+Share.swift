import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The forms in which an entry is handed on.
package enum ShareFormat: String, CaseIterable, Sendable {
  /// Clean Markdown.
  case md
  /// One page with everything in it.
  case html
  /// Plain text.
  case text
  /// The public form with the body.
  case json

  /// The format that a file's name asks for.
  package init?(fileName: String) {
    guard let format = ExportFormat(fileName: fileName) else { return nil }
    self.init(rawValue: format.rawValue)
  }

  /// Whether a file's name asks for a format, or leaves it open.
  package static func isKnown(fileName: String) -> Bool {
    (fileName as NSString).pathExtension.isEmpty || ShareFormat(fileName: fileName) != nil
  }

  /// What a clipboard calls it.
  var mediaType: String { self == .html ? "text/html" : "text/plain;charset=utf-8" }
}

/// How dates are said to whoever reads the copy.
package struct ShareLocale: Sendable {
  /// An entry's day and time; `nil` for an undated one.
  package var date: @Sendable (EntrySummary) -> String?
  /// The BCP 47 tag of that language.
  package var language: String?

  /// The words of a language.
  package init(language: String?, date: @escaping @Sendable (EntrySummary) -> String?) {
    self.language = language
    self.date = date
  }
}

/// A copy of some entries, ready to be handed on.
package struct ExportedDocument: Sendable {
  /// The document.
  package var bytes: [UInt8]
  /// Its form.
  package var format: ShareFormat
  /// The only entry's title, else the first and the last.
  package var title: String
  /// Pictures that are not in it, and why: to be told once.
  package var notes: [String]
}

extension Journal {
  /// A self-contained copy of the entries, the oldest first, each once.
  package func exportedDocument(
    of entries: [EntrySummary], as format: ShareFormat, _ locale: ShareLocale
  ) throws -> ExportedDocument {
    var seen: Set<EntryPath> = []
    // Numbers count from the newest.
    let ordered = entries.filter { seen.insert($0.path).inserted }
      .sorted { $0.number > $1.number }
    let media = format == .html ? MediaFiles(self) : nil
    let shared = try ordered.map {
      self.exportEntry($0, try text(of: $0.path), locale, showing: media)
    }
    var embedder = PictureEmbedder(folder: folder)
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

  /// An entry as part of the page in a browser. Its pictures are not in it: `address` says where each is.
  package func htmlArticle(
    of entry: EntrySummary, _ text: EntryText, _ locale: ShareLocale,
    address: (EntryPath) -> String
  ) -> String {
    let shared = exportEntry(entry, text, locale, showing: MediaFiles(self))
    return EntryFormats.htmlArticle(of: shared, prefix: "") { link in
      PictureEmbedder.path(link, from: entry.path).flatMap {
        folder.hasFile($0) ? address($0) : nil
      }
    }
  }

  /// An entry set for a terminal; `text` may be an earlier version of it.
  package func terminalLines(
    of entry: EntrySummary, _ text: EntryText, _ locale: ShareLocale, width: Int, isStyled: Bool
  ) -> [String] {
    EntryFormats.terminalLines(
      of: exportEntry(entry, text, locale), width: width, isStyled: isStyled)
  }

  /// An entry in words for its reader; with `media`, pictures in `![[…]]` are written as Markdown's.
  func exportEntry(
    _ entry: EntrySummary, _ text: EntryText, _ locale: ShareLocale,
    showing media: MediaFiles? = nil
  ) -> ExportEntry {
    let weather = entry.weather.flatMap { $0.isOptOut ? nil : $0 }
    let body = media.map { media in
      textWithMarkdownImages(text.body, of: entry.path) { media.files(of: $0).first }
    }
    return ExportEntry(
      entry, dateText: locale.date(entry), weatherText: weather?.displayText(in: settings.units),
      isNight: entry.isNight, body: body ?? text.body)
  }
}
