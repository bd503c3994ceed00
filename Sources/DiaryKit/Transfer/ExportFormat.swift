import Foundation

/// A format in which a journal, or a part of it, can be exported.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// One page with everything in it.
  case html
  /// Diary's own JSON as one object (docs/export.md).
  case json
  /// Diary's own JSON with one entry per line.
  case jsonl
  /// Clean Markdown in one file.
  case md
  /// Plain text for reading.
  case text
  /// The text format of jrnl.
  case jrnl
  /// A table of the entries' data, for a spreadsheet.
  case csv
  /// A folder with the entries' unchanged files and the files that they show.
  case folder
  /// A folder of pages for a browser.
  case site
  /// An EPUB 3 book.
  case epub
  /// A book for a printer, made by an installed Chromium.
  case pdf
  /// A zip that Day One reads.
  case dayone
  /// A zip with every file of the journal, its settings and its history.
  case backup

  /// The format for a file name's extension, if there is one.
  package init?(fileName: String) {
    switch (fileName as NSString).pathExtension.lowercased() {
    case "md", "markdown": self = .md
    case "html", "htm", "xhtml": self = .html
    case "txt", "text": self = .text
    case "json": self = .json
    case "jsonl", "ndjson": self = .jsonl
    case "csv": self = .csv
    case "epub": self = .epub
    case "pdf": self = .pdf
    default: return nil
    }
  }

  /// True if the format can include the files that entries show.
  package var canHaveAttachments: Bool {
    switch self {
    case .html, .json, .jsonl, .folder, .site, .epub, .pdf, .dayone, .backup: true
    case .md, .text, .jrnl, .csv: false
    }
  }

  /// True if the format is a folder of files.
  package var isFolder: Bool { self == .folder || self == .site }

  /// True if the format is a zip.
  var isArchive: Bool { self == .epub || self == .dayone || self == .backup }

  /// True if the format can go to standard output.
  package var isStream: Bool { !isFolder && !isArchive && self != .pdf }
}
