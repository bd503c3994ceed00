import DiaryCore
import Foundation
import Localization

/// An import format, with the functions that detect and read it.
package struct ImportFormat: Sendable {
  /// The name of the format for `--format`.
  package let name: String
  /// The program and the type of file, for messages.
  package let title: String
  /// Returns whether the files have this format.
  let isRecognised: @Sendable (ImportProbe) -> Bool
  let read: @Sendable (any ImportFiles, ImportOptions) throws -> ImportedBatch

  /// All formats, in the order in which they are tried.
  package static let all: [ImportFormat] = [
    diary, dayOne, journey, jrnlJSON, tuiJournal, diarium, phone, redNotebook, appleJournal,
    textBundle, notion, jrnlText, joplinRaw, logseq, obsidian, joplin, orgRoam, orgJournal,
    datedText, markdown,
  ]

  /// Returns the format of this name.
  package static func format(named name: String) -> ImportFormat? { all.first { $0.name == name } }

  /// Returns the first format that matches the files, or `nil`.
  package static func detect(in files: any ImportFiles) -> ImportFormat? {
    let probe = ImportProbe(files)
    // Other readers of Markdown would take the text for the writer's own.
    guard UnsupportedSource.jrnlExport(probe) == nil else { return nil }
    return all.first { $0.isRecognised(probe) }
  }

  /// Returns the entries of the files.
  package func entries(of files: any ImportFiles, _ options: ImportOptions) throws -> ImportedBatch
  { try read(files, options) }
}

/// The input for the detection of a format: names, and the beginnings of files, each read once.
package final class ImportProbe {
  let names: [String]
  private let files: any ImportFiles
  private var beginnings: [String: String] = [:]

  init(_ files: any ImportFiles) {
    self.files = files
    names = files.names
  }

  /// Returns the names with one of the extensions, or a single file without a known extension.
  func namesWithExtensions(_ endings: String...) -> [String] {
    let found = names.filter { endings.contains(($0 as NSString).pathExtension.lowercased()) }
    return found.isEmpty && names.count == 1 && hasUnknownExtension ? names : found
  }

  private var hasUnknownExtension: Bool {
    let known = ["json", "txt", "md", "markdown", "html", "org", "zip", "yaml", "yml", "text"]
    return !known.contains((names[0] as NSString).pathExtension.lowercased())
  }

  /// Returns the first bytes of a file as text, without a byte order mark.
  func beginning(of name: String) -> String {
    if let known = beginnings[name] { return known }
    let bytes = (try? files.beginning(of: name)) ?? []
    let text = decodedBeginning(bytes)
    beginnings[name] = text
    return text
  }

  /// Returns whether the beginning of one of the first files with an extension meets a condition.
  func hasFile(_ endings: String..., satisfying: (String) -> Bool) -> Bool {
    let found = names.filter { endings.contains(($0 as NSString).pathExtension.lowercased()) }
    let chosen = found.isEmpty && names.count == 1 && hasUnknownExtension ? names : found
    return chosen.prefix(20).contains { satisfying(beginning(of: $0)) }
  }
}

extension ImportFormat {
  static let dayOne = ImportFormat(name: "dayone", title: "Day One (JSON)") { probe in
    probe.hasFile("json") {
      $0.contains("\"entries\"")
        && ($0.contains("\"creationDate\"")
          || $0.filter { !$0.isWhitespace }.contains("\"entries\":[]"))
    }
  } read: { files, options in
    let journals = files.names.filter { $0.lowercased().hasSuffix(".json") }
    let chosen = journals.isEmpty ? files.names : journals
    var batch = ImportedBatch()
    for name in chosen {
      let stem = ((name as NSString).lastPathComponent as NSString).deletingPathExtension
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        try readDayOne(
          bytes, journal: chosen.count > 1 ? stem : nil, options, into: &batch)
      }
    }
    return batch
  }

  static let jrnlJSON = ImportFormat(name: "jrnl-json", title: "jrnl (JSON)") { probe in
    probe.hasFile("json") {
      $0.contains("\"entries\"") && $0.contains("\"time\"") && $0.contains("\"starred\"")
    }
  } read: { files, options in
    var batch = ImportedBatch()
    for name in files.names {
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        batch.entries += try readJrnlJSON(bytes, options).entries
      }
    }
    assignSourceIDs(&batch.entries, program: "jrnl")
    return batch
  }

  static let phone = ImportFormat(name: "phone", title: "phone diary (JSON)") { probe in
    probe.hasFile("json") { text in
      text.first { !$0.isWhitespace } == "["
        && (text.contains("\"created_at\"") || trimmed(text.filter { !$0.isWhitespace }) == "[]")
    }
  } read: { files, options in
    var batch = ImportedBatch()
    for name in files.names {
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        let read = try readPhoneDiary(bytes, options)
        batch.entries += read.entries
        batch.notices += read.notices
      }
    }
    return batch
  }

  static let jrnlText = ImportFormat(name: "jrnl", title: "jrnl (text)") { probe in
    probe.hasFile("txt", "text", "jrnl") { text in
      var found = ImportedBatch()
      let line = text.drop(while: \.isWhitespace).prefix { !$0.isNewline }
      readJrnlText(
        Array((line + "\n").utf8), ImportOptions(zone: .gmt), file: "", into: &found)
      return found.entries.first?.date != nil
    }
  } read: { files, options in
    var batch = ImportedBatch()
    for name in files.names where !name.hasSuffix(".md") {
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        readJrnlText(bytes, options, file: name, into: &batch)
      }
    }
    assignSourceIDs(&batch.entries, program: "jrnl")
    for index in batch.entries.indices where batch.entries[index].date == nil {
      batch.entries[index].sourceID = nil
      batch.notices.append(
        localized(
          "the text above the first date of \(batch.entries[index].file) becomes an entry without a date"
        ))
    }
    return batch
  }
}

/// Reads one file. If there are several, an error contains its name.
func readImportFile(
  _ name: String, of files: any ImportFiles, _ read: ([UInt8]) throws(ImportError) -> Void
) throws {
  let bytes = try files.text(of: name)
  do { try read(bytes) } catch { throw files.names.count > 1 ? error.inFile(name) : error }
}
