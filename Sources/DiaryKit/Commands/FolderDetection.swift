import DiaryCore
import EntryFiles
import Foundation

/// Detects folders in which other programs keep a diary.
enum FolderDetection {
  struct Proposal {
    var include = ["**"]
    var exclude: [String] = []
    var detectedProgram: String?
    /// The path pattern of that program's daily notes.
    var dailyNote: String?
    /// The program's own pattern for daily notes, if Diary cannot convert it.
    var unsupportedNotePattern: String?

    /// Sets the pattern of a program's daily notes.
    mutating func setDailyNote(_ pattern: String, in folder: String?) {
      dailyNote = momentLayout(pattern, in: folder)
      if dailyNote == nil { unsupportedNotePattern = pattern }
    }
  }

  /// Folders that contain no entries: templates, themes, backups, packages.
  private static let excludedFolderNames = [
    "templates", "_templates", "template", "themes", "_layouts", "_includes", "_site", "archetypes",
    "public", "resources", "node_modules", "vendor", "bak", "backup", "backups",
  ]

  /// The part of the folder that is a diary, from the settings of the program that made it.
  static func proposal(for folder: JournalFolder, names: [String]) -> Proposal {
    var proposal = Proposal()
    let excluded = (names.filter { excludedFolderNames.contains($0.lowercased()) } + ["logseq/bak"])
      .filter { name in EntryPath(name).map(folder.hasFolder) ?? false }
    proposal.exclude = excluded.map { $0 + "/**" }
    if names.contains(".obsidian") {
      proposal.detectedProgram = "Obsidian"
      let (daily, pattern) = obsidianNotes(folder)
      if let daily { proposal.include = [daily + "/**"] }
      proposal.setDailyNote(pattern, in: daily)
      if let templates = obsidianTemplates(folder) { proposal.exclude.append(templates + "/**") }
    } else if names.contains("_posts") {
      proposal.detectedProgram = "Jekyll"
      proposal.include = ["_posts/**"]
    } else if names.contains("logseq"), names.contains("journals") {
      proposal.detectedProgram = "Logseq"
      let (journals, pattern) = logseqNotes(folder)
      proposal.include = [journals + "/**"]
      proposal.setDailyNote(pattern, in: journals)
    } else if names.contains("content"),
      names.contains(where: {
        ["hugo.toml", "hugo.yaml", "config.toml", "archetypes"].contains($0)
      })
    {
      proposal.detectedProgram = isZolaSite(folder) ? "Zola" : "Hugo"
      proposal.include = ["content/**"]
    }
    proposal.exclude = Array(Set(proposal.exclude)).sorted()
    return proposal
  }

  private static func obsidianTemplates(_ folder: JournalFolder) -> String? {
    (json(".obsidian/templates.json", folder)?["folder"] as? String).flatMap(trimmedPath)
  }

  static func trimmedPath(_ folder: String) -> String? {
    let trimmed = folder.trimmingCharacters(in: CharacterSet(charactersIn: "/ "))
    return EntryPath(trimmed)?.text
  }

  static func json(_ name: String, _ folder: JournalFolder) -> [String: Any]? {
    guard let path = EntryPath(name), let bytes = try? folder.read(path)?.bytes else { return nil }
    return try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
  }

  /// The program that syncs this folder, if any. It would copy `.git` file by file.
  static func syncProgram(above root: String) -> String? {
    var folder = root
    while folder != "/" {
      let markers = [
        (".dropbox", "Dropbox"), (".dropbox.cache", "Dropbox"), (".stfolder", "Syncthing"),
        (".owncloudsync.log", "ownCloud"), (".sync", "Resilio Sync"),
        (".nextcloudsync.log", "Nextcloud"),
      ]
      for (marker, program) in markers where JournalFinder.exists(folder + "/" + marker) {
        return program
      }
      let name = (folder as NSString).lastPathComponent
      if name == "Dropbox" || name == "OneDrive" || name == "iCloudDrive" { return name }
      if name == "com~apple~CloudDocs" { return "iCloud" }
      folder = (folder as NSString).deletingLastPathComponent
    }
    return nil
  }
}
