import DiaryCore
import Foundation
import Localization

extension ImportFormat {
  static let diary = ImportFormat(name: "diary", title: "Diary (JSON)") { probe in
    probe.hasFile("json", "jsonl") { text in
      let start = text.prefix(40).filter { !$0.isWhitespace }
      return start.hasPrefix("{\"diary\":")
        || start.hasPrefix("{\"body\":") && text.contains("\"diary\":")
    }
  } read: { files, _ in
    try readFiles(files, "json", "jsonl") { bytes, _ throws(ImportError) in try readDiaryJSON(bytes)
    }
  }

  static let journey = ImportFormat(name: "journey", title: "Journey (zip)") { probe in
    probe.hasFile("json") { $0.contains("\"date_journal\"") }
  } read: { files, options in
    try readFiles(files, "json") { bytes, name throws(ImportError) in
      [try readJourney(bytes, file: name, options)]
    }
  }

  static let tuiJournal = ImportFormat(name: "tui-journal", title: "tui-journal (JSON)") { probe in
    probe.hasFile("json") { text in
      text.contains("\"content\"") && text.contains("\"date\"") && text.contains("\"priority\"")
    }
  } read: { files, options in
    try readFiles(files, "json") { bytes, _ throws(ImportError) in
      try readTuiJournal(bytes, options)
    }
  }

  static let diarium = ImportFormat(name: "diarium", title: "Diarium (JSON)") { probe in
    probe.hasFile("json") { text in
      text.first { !$0.isWhitespace } == "[" && text.contains("\"date\"")
        && (text.contains("\"html\"") || text.contains("\"heading\""))
    }
  } read: { files, options in
    let media = files.names.filter { !$0.lowercased().hasSuffix(".json") }
    return try readFiles(files, "json") { bytes, _ throws(ImportError) in
      try readDiarium(bytes, mediaOf: media, options)
    }
  }

  static let redNotebook = ImportFormat(name: "rednotebook", title: "RedNotebook") { probe in
    probe.names.contains { isMonth($0) && isRedNotebook(probe.beginning(of: $0)) }
  } read: { files, options in
    var batch = ImportedBatch()
    for name in files.names where isMonth(name) {
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        try readRedNotebook(bytes, file: name, options, into: &batch)
      }
    }
    return batch
  }

  static let appleJournal = ImportFormat(name: "applejournal", title: "Apple Journal") { probe in
    probe.names.contains { isApplePage($0) && probe.beginning(of: $0).contains("pageHeader") }
  } read: { files, options in
    var batch = ImportedBatch()
    for name in files.names where isApplePage(name) {
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        batch.entries.append(try readAppleJournal(bytes, file: name, options))
      }
    }
    return batch
  }

  static let joplinRaw = ImportFormat(name: "joplin-raw", title: "Joplin (raw)") { probe in
    probe.hasFile("md") { text in
      text.contains("\ntype_: ") && text.contains("\nid: ")
        || text.hasPrefix("id: ")
          && text.contains("\ntype_: ")
    }
  } read: { files, options in
    try readJoplinRaw(files, options)
  }

  static let logseq = ImportFormat(name: "logseq", title: "Logseq") { probe in
    probe.names.contains("logseq/config.edn")
  } read: { files, options in
    try readMarkdownFolder(files, program: "logseq", options)
  }

  static let obsidian = ImportFormat(name: "obsidian", title: "Obsidian") { probe in
    probe.names.contains { $0.hasPrefix(".obsidian/") }
  } read: { files, options in
    try readMarkdownFolder(files, program: "obsidian", options)
  }

  static let joplin = ImportFormat(name: "joplin", title: "Joplin (Markdown with front matter)") {
    probe in
    probe.names.contains { $0.hasPrefix("_resources/") }
  } read: { files, options in
    try readMarkdownFolder(files, program: "joplin", options)
  }

  static let markdown = ImportFormat(name: "markdown", title: "folder of Markdown") { probe in
    probe.names.contains {
      $0.lowercased().hasSuffix(".md") || $0.lowercased().hasSuffix(".markdown")
    }
  } read: { files, options in
    try readMarkdownFolder(files, program: "markdown", options)
  }

  static let orgJournal = ImportFormat(name: "org-journal", title: "org-journal") { probe in
    probe.names.prefix(50).contains { isOrg($0, probe) }
  } read: { files, options in
    var batch = ImportedBatch()
    let named = files.names.filter { $0.lowercased().hasSuffix(".org") }
    for name in named.isEmpty ? files.names : named {
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        batch.entries += try readOrgJournal(bytes, file: name, options)
      }
    }
    assignSourceIDs(&batch.entries, program: "org-journal")
    return batch
  }

  static let datedText = ImportFormat(name: "text", title: "dated text") { probe in
    let texts = probe.namesWithExtensions("txt", "text", "md")
    return texts.prefix(20).contains { name in
      let stem = ((name as NSString).lastPathComponent as NSString).deletingPathExtension
      let first =
        probe.beginning(of: name).split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      if datedLine(first, .gmt) != nil { return true }
      return name.lowercased().hasSuffix(".txt") && stem.count >= 8
        && EntryDate(reading: stem, zone: .gmt) != nil
    }
  } read: { files, options in
    var batch = ImportedBatch()
    for name in files.names {
      let ending = (name as NSString).pathExtension.lowercased()
      guard files.names.count == 1 || ["txt", "text", "md", "markdown"].contains(ending)
      else { continue }
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        batch.entries += try readDatedText(bytes, file: name, options)
      }
    }
    assignSourceIDs(&batch.entries, program: "text")
    return batch
  }

  /// Reads each file with one of the extensions, or a single file with any name.
  private static func readFiles(
    _ files: any ImportFiles, _ endings: String...,
    read: ([UInt8], String) throws(ImportError) -> [ImportedEntry]
  ) throws -> ImportedBatch {
    var batch = ImportedBatch()
    for name in files.names {
      let ending = (name as NSString).pathExtension.lowercased()
      guard files.names.count == 1 || endings.contains(ending) else { continue }
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        batch.entries += try read(bytes, name)
      }
    }
    return batch
  }
}

/// Returns whether a name has the form `2025-01.txt`.
private func isMonth(_ name: String) -> Bool {
  let last = (name as NSString).lastPathComponent
  let parts = last.dropLast(4).split(separator: "-")
  return last.hasSuffix(".txt") && last.count == 11 && parts.count == 2
    && parts.allSatisfy { $0.allSatisfy(\.isNumber) }
}

private func isRedNotebook(_ text: String) -> Bool {
  let first = text.split(whereSeparator: \.isNewline).first { !$0.hasPrefix("#") } ?? ""
  return text.isEmpty || first.contains(":") && first.prefix { $0 != ":" }.allSatisfy(\.isNumber)
}

private func isApplePage(_ name: String) -> Bool {
  let last = (name as NSString).lastPathComponent.lowercased()
  return last.hasSuffix(".html") && last != "index.html"
}

private func isOrg(_ name: String, _ probe: ImportProbe) -> Bool {
  if name.lowercased().hasSuffix(".org") { return true }
  let last = (name as NSString).lastPathComponent
  guard !last.contains("."), last.count >= 4, last.allSatisfy({ $0.isNumber || $0 == "-" }) else {
    return false
  }
  return probe.beginning(of: name).hasPrefix("* ") || probe.beginning(of: name).hasPrefix("#+")
}
