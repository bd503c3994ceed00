import DiaryCore
import EntryFiles
import Foundation

/// What is known of the folders that other programs keep a diary in.
enum Adoption {
  struct Proposal {
    var include = ["**"]
    var exclude: [String] = []
    var learntFrom: String?
  }

  /// Folders that hold no entries of a person: templates, themes, backups, packages.
  private static let neverEntries = [
    "templates", "_templates", "template", "themes", "_layouts", "_includes", "_site", "archetypes",
    "public", "resources", "node_modules", "vendor", "logseq/bak", "bak", "backup", "backups",
  ]

  /// Which part of the folder is a diary, by the settings of the program that kept it.
  static func proposal(for folder: JournalFolder, names: [String]) -> Proposal {
    var proposal = Proposal()
    let excluded = neverEntries.filter { name in
      EntryPath(name).map(folder.hasFolder) ?? false
    }
    proposal.exclude = excluded.map { $0 + "/**" }
    if names.contains(".obsidian") {
      proposal.learntFrom = "Obsidian"
      if let daily = obsidianFolder(folder) { proposal.include = [daily + "/**"] }
      if let templates = obsidianTemplates(folder) { proposal.exclude.append(templates + "/**") }
    } else if names.contains("_posts") {
      proposal.learntFrom = "Jekyll"
      proposal.include = ["_posts/**"]
    } else if names.contains("logseq"), names.contains("journals") {
      proposal.learntFrom = "Logseq"
      proposal.include = ["journals/**"]
    } else if names.contains("content"),
      names.contains(where: {
        ["hugo.toml", "hugo.yaml", "config.toml", "archetypes"].contains($0)
      })
    {
      proposal.learntFrom = "Hugo"
      proposal.include = ["content/**"]
    }
    proposal.exclude = Array(Set(proposal.exclude)).sorted()
    return proposal
  }

  /// The folder of Obsidian's daily notes; `nil` when it is the vault itself.
  private static func obsidianFolder(_ folder: JournalFolder) -> String? {
    let text = json(".obsidian/daily-notes.json", folder)?["folder"] as? String
    return text.flatMap(clean)
  }

  private static func obsidianTemplates(_ folder: JournalFolder) -> String? {
    (json(".obsidian/templates.json", folder)?["folder"] as? String).flatMap(clean)
  }

  private static func clean(_ folder: String) -> String? {
    let trimmed = folder.trimmingCharacters(in: CharacterSet(charactersIn: "/ "))
    return EntryPath(trimmed)?.text
  }

  private static func json(_ name: String, _ folder: JournalFolder) -> [String: Any]? {
    guard let path = EntryPath(name), let bytes = try? folder.read(path)?.bytes else { return nil }
    return try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
  }

  /// What the proposal takes, folder by folder.
  static func count(_ folder: JournalFolder, _ proposal: Proposal) throws -> [Survey.FolderCount] {
    var settings = Settings()
    settings.include = proposal.include
    settings.exclude = proposal.exclude
    let zone = TimeZone(secondsFromGMT: 0) ?? .current
    let paths = folder.walk(EntryRules(settings: settings)).entries.map(\.path)
    // Whether each has a day; `nil` for one that has gone.
    let dated = sideBySide(paths) { [settings] path in
      Result<Bool?, FileError> { () throws(FileError) in
        guard let file = try folder.read(path) else { return nil }
        let text = EntryText(file.bytes)
        return Entry.day(of: text, path: path, settings: settings, zone: zone) != nil
      }
    }
    var counts: [String?: Survey.FolderCount] = [:]
    for (path, dated) in zip(paths, dated) {
      guard let isDated = try dated.get() else { continue }
      let name = path.folder?.text
      var count = counts[name] ?? Survey.FolderCount(folder: name, files: 0, dated: 0)
      count.files += 1
      count.dated += isDated ? 1 : 0
      counts[name] = count
    }
    return counts.values.sorted { ($0.folder ?? "") < ($1.folder ?? "") }
  }

  /// The sync program whose folder this is: it would copy `.git` file by file.
  static func syncProgram(above root: String) -> String? {
    var folder = root
    while folder != "/" {
      let marks = [
        (".dropbox", "Dropbox"), (".dropbox.cache", "Dropbox"), (".stfolder", "Syncthing"),
        (".owncloudsync.log", "ownCloud"), (".sync", "Resilio Sync"),
        (".nextcloudsync.log", "Nextcloud"),
      ]
      for (mark, program) in marks where Journal.exists(folder + "/" + mark) { return program }
      let name = (folder as NSString).lastPathComponent
      if name == "Dropbox" || name == "OneDrive" || name == "iCloudDrive" { return name }
      if name == "com~apple~CloudDocs" { return "iCloud" }
      folder = (folder as NSString).deletingLastPathComponent
    }
    return nil
  }
}
