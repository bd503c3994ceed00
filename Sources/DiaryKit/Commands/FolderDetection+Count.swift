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
    let rules = EntryMatcher(settings: settings)
    let all = walk.entries.map(\.path)
    survey.folders = try countEntries(all.filter(rules.isEntry), folder, settings)
    var excluded = all.filter { !rules.isEntry($0) }
    var texts = walk.otherFiles.map(\.path).filter { $0.fileExtension == "txt" }
    if let ignored, !excluded.isEmpty || !texts.isEmpty {
      let hidden = try await ignored(excluded + texts)
      excluded.removeAll { hidden.contains($0) }
      texts.removeAll { hidden.contains($0) }
    }
    survey.skipped = countByTopFolder(excluded)
    survey.textFiles = countByTopFolder(texts)
  }

  private static func countEntries(
    _ paths: [EntryPath], _ folder: JournalFolder, _ settings: Settings
  ) throws -> [InitSurvey.FolderCount] {
    let zone = TimeZone(secondsFromGMT: 0) ?? .current
    // True for a file with a day; `nil` for a file that has been removed.
    let dated = concurrentMap(paths) { path in
      Result<Bool?, FileError> { () throws(FileError) in
        guard let file = try folder.read(path) else { return nil }
        let text = EntryText(file.bytes)
        return Entry.day(of: text, path: path, settings: settings, zone: zone) != nil
      }
    }
    var counts: [String?: InitSurvey.FolderCount] = [:]
    for (path, dated) in zip(paths, dated) {
      guard let isDated = try dated.get() else { continue }
      let name = path.folder?.text
      var count = counts[name] ?? InitSurvey.FolderCount(folder: name, files: 0, dated: 0)
      count.files += 1
      count.dated += isDated ? 1 : 0
      counts[name] = count
    }
    return counts.values.sorted { ($0.folder ?? "") < ($1.folder ?? "") }
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
