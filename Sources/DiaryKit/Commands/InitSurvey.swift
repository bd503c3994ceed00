import DiaryCore

/// The findings of `diary init` about a folder, before any change.
package struct InitSurvey: Sendable {
  /// A folder that contains Markdown files.
  package struct FolderCount: Sendable, Hashable {
    /// Relative to the journal; `nil` for its root.
    package var folder: String?
    /// The number of Markdown files that will be entries.
    package var files: Int
    /// The number of them that have a day.
    package var dated: Int
  }

  /// The folder's absolute path.
  package var root: String
  /// True if the folder exists and is not empty.
  package var isAdopted: Bool
  /// The work tree of the repository for the journal, if it exists already.
  package var repository: String?
  /// The work tree of a repository around the folder, whose top is another folder.
  package var enclosingRepository: String?
  /// True if the folder is a journal already.
  package var isJournal: Bool
  /// The future entries, counted by folder.
  package var folders: [FolderCount] = []
  /// The folders with entries; of more than ten, the top folders, largest count first.
  package var mainFolders: [FolderCount] {
    guard folders.count > 10 else { return folders }
    let groups = Dictionary(grouping: folders) { count in
      count.folder.map { String($0.prefix { $0 != "/" }) }
    }
    return groups.map { folder, counts in
      FolderCount(
        folder: folder, files: counts.reduce(0) { $0 + $1.files },
        dated: counts.reduce(0) { $0 + $1.dated })
    }.sorted { ($1.files, $0.folder ?? "") < ($0.files, $1.folder ?? "") }
  }
  /// The patterns that Diary proposes for entries; everything by default.
  package var include: [String] = ["**"]
  /// The patterns of files that are excluded from the entries.
  package var exclude: [String] = []
  /// The program whose settings gave the proposal.
  package var detectedProgram: String?
  /// The path pattern of that program's daily notes (``Settings/dailyNote``).
  package var dailyNote: String?
  /// The program's own pattern for daily notes, if Diary cannot convert it.
  package var unsupportedNotePattern: String?
  /// Markdown files that will not be entries, counted by top folder.
  package var skipped: [FolderCount] = []
  /// Text files with other extensions (`.txt`), counted by top folder.
  package var textFiles: [FolderCount] = []
  /// Texts in other formats, counted by extension, largest count first.
  package var otherFormats: [(fileExtension: String, files: Int)] = []
  /// Keys with a date in entries that have no date for Diary, with the number of entries, largest
  /// count first.
  package var unreadDateKeys: [(key: String, files: Int)] = []
  /// A program that syncs the folder by itself, which a git repository does not tolerate well.
  package var syncedBy: String?
  /// Files that git shows as uncommitted and Diary would save.
  package var uncommitted: [EntryPath] = []
}
