import DiaryCore

/// What `diary init` found in a folder before it changes anything.
public struct Survey: Sendable {
  /// One folder that holds Markdown files.
  public struct FolderCount: Sendable, Hashable {
    /// Relative to the journal; `nil` for its root.
    public var folder: String?
    /// Markdown files that will be entries.
    public var files: Int
    /// How many of them tell a day.
    public var dated: Int
  }

  /// The folder, absolute.
  public var root: String
  /// The folder exists and holds something.
  public var isAdopted: Bool
  /// The work tree of the repository that the journal is to be kept in, if there is one already.
  public var repository: String?
  /// The work tree of a repository around the folder, whose top is another folder.
  public var surrounding: String?
  /// It is a journal already.
  public var isJournal: Bool
  /// What will be entries, folder by folder.
  public var folders: [FolderCount] = []
  /// What Diary proposes to take as entries, when not everything; with the program it was learnt from.
  public var include: [String] = ["**"]
  /// What is left out of the entries.
  public var exclude: [String] = []
  /// The program whose settings told so.
  public var learntFrom: String?
  /// Where that program keeps a day's note (``Settings/dailyNote``).
  public var dailyNote: String?
  /// The program's own pattern for such notes, when Diary cannot follow it.
  public var strangeNote: String?
  /// Markdown files that will be no entries, by the folder at the top.
  public var leftOut: [FolderCount] = []
  /// Text files of other endings (`.txt`), by the folder at the top.
  public var textFiles: [FolderCount] = []
  /// A program that syncs the folder by itself, which a git repository does not bear well.
  public var syncedBy: String?
  /// Files that git would show as uncommitted and Diary would save.
  public var uncommitted: [EntryPath] = []
}
