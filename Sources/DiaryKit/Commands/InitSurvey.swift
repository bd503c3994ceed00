import DiaryCore

/// What `diary init` found in a folder before it changes anything.
package struct InitSurvey: Sendable {
  /// One folder that holds Markdown files.
  package struct FolderCount: Sendable, Hashable {
    /// Relative to the journal; `nil` for its root.
    package var folder: String?
    /// Markdown files that will be entries.
    package var files: Int
    /// How many of them tell a day.
    package var dated: Int
  }

  /// The folder, absolute.
  package var root: String
  /// The folder exists and holds something.
  package var isAdopted: Bool
  /// The work tree of the repository that the journal is to be kept in, if there is one already.
  package var repository: String?
  /// The work tree of a repository around the folder, whose top is another folder.
  package var enclosingRepository: String?
  /// It is a journal already.
  package var isJournal: Bool
  /// What will be entries, folder by folder.
  package var folders: [FolderCount] = []
  /// What Diary proposes to take as entries, when not everything; with the program it was learnt from.
  package var include: [String] = ["**"]
  /// What is left out of the entries.
  package var exclude: [String] = []
  /// The program whose settings told so.
  package var detectedProgram: String?
  /// Where that program keeps a day's note (``Settings/dailyNote``).
  package var dailyNote: String?
  /// The program's own pattern for such notes, when Diary cannot follow it.
  package var unsupportedNotePattern: String?
  /// Markdown files that will be no entries, by the folder at the top.
  package var skipped: [FolderCount] = []
  /// Text files of other endings (`.txt`), by the folder at the top.
  package var textFiles: [FolderCount] = []
  /// A program that syncs the folder by itself, which a git repository does not bear well.
  package var syncedBy: String?
  /// Files that git would show as uncommitted and Diary would save.
  package var uncommitted: [EntryPath] = []
}
