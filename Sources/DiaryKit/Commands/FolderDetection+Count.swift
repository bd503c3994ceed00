import DiaryCore
import EntryFiles
import Foundation

extension FolderDetection {
  /// Counts the proposed entries by folder, and the excluded files. Excluded files that git ignores
  /// are not counted.
  static func count(
    _ folder: JournalFolder, ignored: (([EntryPath]) async throws -> Set<EntryPath>)?,
    into survey: inout InitSurvey
  ) async throws {
    var settings = Settings()
    let walk = folder.scan(EntryMatcher(settings: settings), includesOthers: true)
    settings.include = survey.include
    settings.exclude = survey.exclude
    let all = walk.entries.map(\.path)
    let candidates = all.filter(EntryMatcher(settings: settings).isEntry)
    let found = try read(candidates, folder, settings)
    survey.exclude += drawingPatterns(found)
    settings.exclude = survey.exclude
    let rules = EntryMatcher(settings: settings)
    survey.folders = countEntries(found.filter { !$0.isDrawing })
    survey.unreadDateKeys = countByKey(found.compactMap { $0.isDrawing ? nil : $0.unreadDateKey })
      .map { (key: $0.0, files: $0.1) }
    var excluded = all.filter { !rules.isEntry($0) }
    var others = walk.otherFiles.map(\.path).filter {
      $0.fileExtension == "txt" || otherFormats.contains($0.fileExtension)
    }
    if let ignored, !excluded.isEmpty || !others.isEmpty {
      let hidden = try await ignored(excluded + others)
      excluded.removeAll { hidden.contains($0) }
      others.removeAll { hidden.contains($0) }
    }
    survey.skipped = countByTopFolder(excluded)
    survey.textFiles = countByTopFolder(others.filter { $0.fileExtension == "txt" })
    survey.otherFormats = countByKey(others.map(\.fileExtension).filter { $0 != "txt" })
      .map { (fileExtension: $0.0, files: $0.1) }
  }

  /// Extensions of texts that are not Markdown.
  private static let otherFormats: Set<String> = [
    "org", "norg", "wiki", "mdx", "rmd", "qmd", "adoc", "asciidoc", "rst", "textile", "typ",
  ]

  /// The facts about a proposed entry that `init` needs.
  private struct FoundEntry {
    let path: EntryPath
    let isDated: Bool
    let isDrawing: Bool
    /// The first key with a date, if the entry has no date for Diary.
    let unreadDateKey: String?
  }

  /// Reads files. A file that has been removed is left out.
  private static func read(
    _ paths: [EntryPath], _ folder: JournalFolder, _ settings: Settings
  ) throws -> [FoundEntry] {
    let zone = TimeZone(secondsFromGMT: 0) ?? .current
    let found = concurrentMap(paths) { path in
      Result<FoundEntry?, FileError> { () throws(FileError) in
        guard let file = try folder.read(path) else { return nil }
        let text = EntryText(file.bytes)
        let isDated = Entry.day(of: text, path: path, settings: settings, zone: zone) != nil
        return FoundEntry(
          path: path, isDated: isDated, isDrawing: isDrawing(text, path.text),
          unreadDateKey: isDated ? nil : unreadDateKey(of: text))
      }
    }
    return try found.compactMap { try $0.get() }
  }

  /// The first field with a date. A number alone is more likely an ID.
  private static func unreadDateKey(of text: EntryText) -> String? {
    text.fields.first { field in
      guard let value = text.string(field.key), value.count < 40, !value.allSatisfy(\.isNumber)
      else {
        return false
      }
      return EntryDate(written: value, zone: .gmt) != nil
    }?.key
  }

  /// The patterns that exclude drawings: of their names, of their folder if neither it nor a folder
  /// in it contains an entry, or their paths.
  private static func drawingPatterns(_ found: [FoundEntry]) -> [String] {
    var folders: Set<String> = []
    for entry in found where !entry.isDrawing {
      var folder = entry.path.folder
      while let next = folder, folders.insert(next.text).inserted { folder = next.folder }
    }
    let patterns = found.filter(\.isDrawing).map { drawing in
      if drawing.path.text.lowercased().hasSuffix(".excalidraw.md") { return "*.excalidraw.md" }
      guard let folder = drawing.path.folder?.text, !folders.contains(folder) else {
        return "/" + escapedGlob(drawing.path.text)
      }
      return escapedGlob(folder) + "/**"
    }
    return Set(patterns).sorted()
  }

  private static func escapedGlob(_ path: String) -> String {
    path.map { "*?[\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private static func countEntries(_ found: [FoundEntry]) -> [InitSurvey.FolderCount] {
    var counts: [String?: InitSurvey.FolderCount] = [:]
    for entry in found {
      let name = entry.path.folder?.text
      var count = counts[name] ?? InitSurvey.FolderCount(folder: name, files: 0, dated: 0)
      count.files += 1
      count.dated += entry.isDated ? 1 : 0
      counts[name] = count
    }
    return counts.values.sorted { ($0.folder ?? "") < ($1.folder ?? "") }
  }

  /// Counts equal texts, largest count first.
  private static func countByKey(_ texts: [String]) -> [(String, Int)] {
    Dictionary(grouping: texts, by: \.self).map { ($0.key, $0.value.count) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// Counts files by top folder, largest count first.
  private static func countByTopFolder(_ paths: [EntryPath]) -> [InitSurvey.FolderCount] {
    let groups = Dictionary(grouping: paths) { path in
      path.folder == nil ? nil : path.names.first.map { String(decoding: $0, as: UTF8.self) }
    }
    return groups.map { InitSurvey.FolderCount(folder: $0.key, files: $0.value.count, dated: 0) }
      .sorted { ($1.files, $0.folder ?? "") < ($0.files, $1.folder ?? "") }
  }
}
