import DiaryCore
import EntryFiles
import Foundation

extension FolderDetection {
  /// The folder of Obsidian's daily notes (`nil` for the vault itself) and the pattern of their
  /// names, from the settings of the core plugin or of Periodic Notes. A folder that does not exist
  /// counts only in a vault without notes: elsewhere the daily notes are in another folder.
  static func obsidianNotes(_ folder: JournalFolder) -> (folder: String?, pattern: String) {
    let notes = dailyNotes(folder)
    let pattern = notes?["format"] as? String ?? ""
    let name = notes?["folder"] as? String
    let daily = name.flatMap(trimmedPath)
    let counts = daily.map { isFolder($0, folder) || !hasNotes(folder) } ?? false
    return (counts ? daily : nil, pattern.isEmpty ? "YYYY-MM-DD" : pattern)
  }

  /// The template of Obsidian's daily notes, from the same settings.
  static func obsidianTemplate(_ folder: JournalFolder) -> EntryPath? {
    guard let name = (dailyNotes(folder)?["template"] as? String).flatMap(trimmedPath) else {
      return nil
    }
    return EntryPath(name.hasSuffix(".md") ? name : name + ".md")
  }

  private static func dailyNotes(_ folder: JournalFolder) -> [String: Any]? {
    let periodic = json(".obsidian/plugins/periodic-notes/data.json", folder)?["daily"]
    if let periodic = periodic as? [String: Any], periodic["enabled"] as? Bool == true {
      return periodic
    }
    return json(".obsidian/daily-notes.json", folder)
  }

  /// The folder of Logseq's journals and the pattern of their names, which is Java's.
  static func logseqNotes(_ folder: JournalFolder) -> (folder: String, pattern: String) {
    var settings: [String: String] = [:]
    let bytes = EntryPath("logseq/config.edn").flatMap { try? folder.read($0)?.bytes } ?? []
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let words = line.prefix { $0 != ";" }
      for key in [":journal/file-name-format", ":journals-directory"] {
        guard let found = words.firstRange(of: key) else { continue }
        let parts = words[found.upperBound...].split(
          separator: "\"", omittingEmptySubsequences: false)
        if parts.count >= 3, parts[0].allSatisfy(\.isWhitespace) {
          settings[key] = String(parts[1])
        }
      }
    }
    var pattern = settings[":journal/file-name-format"] ?? "yyyy_MM_dd"
    for (java, moment) in [("yyyy", "YYYY"), ("dd", "DD"), ("EEEE", "dddd"), ("EEE", "ddd")] {
      pattern = pattern.replacing(java, with: moment)
    }
    let journals = settings[":journals-directory"].flatMap(trimmedPath)
    return (journals.flatMap { isFolder($0, folder) ? $0 : nil } ?? "journals", pattern)
  }

  private static func hasNotes(_ folder: JournalFolder) -> Bool {
    !folder.scan(EntryMatcher(settings: Settings())).entries.isEmpty
  }

  private static func isFolder(_ name: String, _ folder: JournalFolder) -> Bool {
    EntryPath(name).map(folder.hasFolder) ?? false
  }

  /// True for a Zola site. Zola's settings have a `base_url`, Hugo's have a `baseURL`.
  static func isZolaSite(_ folder: JournalFolder) -> Bool {
    guard let path = EntryPath("config.toml"), let bytes = try? folder.read(path)?.bytes else {
      return false
    }
    return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .contains { $0.drop(while: \.isWhitespace).hasPrefix("base_url") }
  }

  /// Converts a moment.js pattern to a layout with the folder and `.md`; `nil` if Diary has no
  /// placeholder for a part of it (a week, a time).
  static func momentLayout(_ pattern: String, in folder: String?) -> String? {
    let filled = MomentFormat.filled(pattern) { placeholders[$0].map { "{\($0)}" } }
    guard var layout = filled, !pattern.contains(where: { "{}".contains($0) }) else { return nil }
    layout = layout.replacing("{year}-{month}-{day}", with: "{date}")
    let path = (folder.map { $0 + "/" } ?? "") + layout + ".md"
    return PathTemplate(path)?.isDaily == true ? path : nil
  }

  private static let placeholders = [
    "YYYY": "year", "YY": "year_short", "MM": "month", "M": "month_number", "MMMM": "month_name",
    "MMM": "month_short", "DD": "day", "D": "day_number", "dddd": "weekday",
    "ddd": "weekday_short",
  ]
}
