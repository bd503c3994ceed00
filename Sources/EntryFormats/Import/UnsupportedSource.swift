import Foundation
import Localization

/// The export of a program that Diary recognizes and does not read.
package struct UnsupportedSource: Sendable {
  /// The program and the type of file.
  package let title: String
  /// A way to import it: one sentence.
  package let way: String

  /// Recognizes the files by their names and beginnings. `nil` for anything else.
  package static func detect(in files: any ImportFiles) -> UnsupportedSource? {
    let probe = ImportProbe(files)
    if files.isArchive,
      let inner = probe.names.first(where: { $0.lowercased().hasSuffix(".zip") })
    {
      return UnsupportedSource(
        title: localized("a zip in a zip"),
        way: localized("unpack it and import \(inner), which is in it"))
    }
    if probe.names.contains(where: { $0.hasSuffix("NoteStore.sqlite") }) {
      return UnsupportedSource(
        title: "Apple Notes",
        way: localized("import it into Obsidian with its Importer, then import the vault"))
    }
    if let found = jrnlExport(probe) { return found }
    for name in probe.names.prefix(50) {
      let text = probe.beginning(of: name)
      if let found = known.lazy.compactMap({ $0(name.lowercased(), text) }).first { return found }
    }
    return nil
  }

  private static let known: [@Sendable (String, String) -> UnsupportedSource?] = [
    { _, text in
      guard text.contains("<en-export") else { return nil }
      return UnsupportedSource(
        title: "Evernote (ENEX)",
        way: localized("import it into Joplin, export it there as RAW, and import that folder"))
    },
    { _, text in
      guard text.contains("wordpress.org/export") else { return nil }
      return UnsupportedSource(
        title: "WordPress (WXR)",
        way: localized(
          "convert it with wordpress-export-to-markdown, then import the folder that it writes"))
    },
    { _, text in
      guard text.contains("\"userEditedTimestampUsec\"") else { return nil }
      return UnsupportedSource(
        title: "Google Keep",
        way: localized(
          "convert its notes with jq, as docs/import.md shows, and import the result"))
    },
    { _, text in
      guard text.contains("\"content_type\""), text.contains("\"items\"") else { return nil }
      return UnsupportedSource(
        title: "Standard Notes",
        way: localized(
          "convert its notes with jq, as docs/import.md shows, and import the result"))
    },
    { name, text in
      guard name.hasSuffix(".txt"), text.hasPrefix("Content-Type: text/x-zim-wiki") else {
        return nil
      }
      return UnsupportedSource(
        title: "Zim",
        way: localized(
          "export it with `zim --export --format=markdown --output=FOLDER NOTEBOOK`, then import "
            + "the folder"))
    },
    { name, text in
      let head = text.prefix { !$0.isNewline }.lowercased()
      guard name.hasSuffix(".csv"), head.contains("full_date"), head.contains("mood") else {
        return nil
      }
      return UnsupportedSource(title: "Daylio (CSV)", way: tableWay)
    },
    { name, text in
      let head = text.prefix { !$0.isNewline }.lowercased()
      let isTable = name.hasSuffix(".csv") && head.contains("folder") && head.contains("title")
      guard isTable && head.contains("text") || name.contains("diaro") else { return nil }
      return UnsupportedSource(title: "Diaro", way: tableWay)
    },
    { name, text in
      guard text.hasPrefix("BEGIN:VCALENDAR") else { return nil }
      return UnsupportedSource(
        title: localized("a calendar (ICS)"),
        way: localized("write its events as text, a line with the date above each, and import that")
      )
    },
    { name, _ in
      guard name.hasSuffix(".csv") else { return nil }
      return UnsupportedSource(title: localized("a table (CSV)"), way: tableWay)
    },
    { name, _ in
      guard
        ["docx", "odt", "rtf", "epub"].contains((name as NSString).pathExtension)
          || name == "word/document.xml"
      else { return nil }
      return UnsupportedSource(
        title: localized("a document"),
        way: localized("convert it to Markdown with pandoc, then import that"))
    },
  ]

  /// Recognizes jrnl's exports as Markdown and as YAML: a file with headings of years, months and
  /// entries, or a folder with a file `DATE_TITLE.md` for each entry. Other notes beside such a file
  /// make the folder the writer's own.
  static func jrnlExport(_ probe: ImportProbe) -> UnsupportedSource? {
    let titles = probe.namesWithExtensions("md").prefix(20).map { jrnlTitle($0, probe) }
    guard let title = titles.first ?? nil, titles.allSatisfy({ $0 == title }) else { return nil }
    return UnsupportedSource(
      title: title, way: localized("export it as JSON with `jrnl --export json`, then import that"))
  }

  private static func jrnlTitle(_ name: String, _ probe: ImportProbe) -> String? {
    let text = probe.beginning(of: name)
    if text.hasPrefix("---\ntitle: "), text.contains("\nstarred: "), text.contains("\nbody: |") {
      return "jrnl (YAML)"
    }
    let isEntryFile = (name as NSString).lastPathComponent.prefixMatch(of: /[0-9-]{10}_/) != nil
    let isMarkdown =
      text.prefixMatch(of: /# [0-9]{4}\n\n## [A-Z][a-z]+\n\n### [0-9-]{10} [0-9]/) != nil
      || isEntryFile && text.prefixMatch(of: /# [0-9-]{10} [0-9]{2}:[0-9]{2}/) != nil
    return isMarkdown ? "jrnl (Markdown)" : nil
  }

  private static var tableWay: String {
    localized("convert it to JSON, as docs/import.md shows, and import the result")
  }
}
