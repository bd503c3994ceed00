import Foundation

/// The forms in which a journal, or a part of it, leaves Diary.
package enum ExportFormat: String, CaseIterable, Sendable {
  /// One page with everything in it.
  case html
  /// Diary's own JSON, one object (docs/export.md).
  case json
  /// The same with one entry a line.
  case jsonl
  /// Clean Markdown in one file.
  case md
  /// Plain text for reading.
  case text
  /// What jrnl reads.
  case jrnl
  /// The facts of the entries, for a spreadsheet.
  case csv
  /// A folder of the entries' files as they are, with what they show.
  case folder
  /// A folder of pages for a browser.
  case site
  /// A book: EPUB 3.
  case epub
  /// A zip that Day One reads.
  case dayone
  /// A zip with every file of the journal, its settings and its history.
  case backup

  /// The format that a file's name asks for.
  package init?(fileName: String) {
    switch (fileName as NSString).pathExtension.lowercased() {
    case "md", "markdown": self = .md
    case "html", "htm", "xhtml": self = .html
    case "txt", "text": self = .text
    case "json": self = .json
    case "jsonl", "ndjson": self = .jsonl
    case "csv": self = .csv
    case "epub": self = .epub
    default: return nil
    }
  }

  /// Whether files that entries show can be in it.
  package var canHaveAttachments: Bool {
    switch self {
    case .html, .json, .jsonl, .folder, .site, .epub, .dayone, .backup: true
    case .md, .text, .jrnl, .csv: false
    }
  }

  /// Whether it is a folder of files, and not one file.
  package var isFolder: Bool { self == .folder || self == .site }

  /// Whether it is a zip, which can only go to a file.
  package var isArchive: Bool { self == .epub || self == .dayone || self == .backup }
}
