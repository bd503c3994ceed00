import DiaryCore
import Foundation
import GitHistory

/// Something that a command did to the journal, as `.git/diary/operations.json` remembers it for
/// `diary undo`.
package struct JournalOperation: Codable, Sendable, Equatable {
  /// Which command. An open list: what a later Diary did is read here, too, and can be undone, for the
  /// files alone say how.
  package struct Command: RawRepresentable, Codable, Sendable, Equatable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    static let new = Command(rawValue: "new")
    static let add = Command(rawValue: "add")
    static let rename = Command(rawValue: "rename")
    static let delete = Command(rawValue: "delete")
    static let `import` = Command(rawValue: "import")
    static let restore = Command(rawValue: "restore")
    static let star = Command(rawValue: "star")
    static let unstar = Command(rawValue: "unstar")
    static let fill = Command(rawValue: "fill")
    static let undo = Command(rawValue: "undo")
    static let merge = Command(rawValue: "merge")
  }

  /// One file, before and after: the name that git gives to its content, `nil` where it was not.
  package struct File: Codable, Sendable, Equatable {
    /// Percent-encoded bytes: a name need not be text.
    var name: String
    var before: String?
    var after: String?

    var path: EntryPath? { EntryPath(percentEncoded: name) }
    var beforeID: ObjectID? { before.flatMap { ObjectID($0) } }
    var afterID: ObjectID? { after.flatMap { ObjectID($0) } }
  }

  /// Which command.
  package var command: Command
  /// What it was done to, in the command's own words: a title, or how many entries.
  package var subject: String
  /// Unix seconds.
  package var at: Int
  /// The commit that shows the journal before.
  package var before: String?
  /// The commit that shows it after.
  package var after: String?
  var files: [File]
  /// Items of an import that are known since; forgotten when it is undone.
  var marks: [String]?
  /// For an undo: what it took back.
  package var undone: Command?

  private enum CodingKeys: String, CodingKey {
    case command = "verb"
    case subject, at, before, after, files, marks, undone
  }
}

/// A command at work: what was there before it began.
struct OperationDraft: Sendable {
  var command: JournalOperation.Command
  var subject: String
  var commitBefore: String?
  var before: [EntryPath: ObjectID] = [:]
  var paths: Set<EntryPath> = []
  var importDigests: [String]?
  var undone: JournalOperation.Command?
}

extension Journal {
  /// How many operations are remembered.
  static let maxOperations = 100

  var operations: StateFile<[JournalOperation]> {
    StateFile("operations.json", in: stateFolder, defaultValue: [])
  }

  /// Begins an act on `paths`: unsaved words in them become a version of their own first, so that
  /// what the command does can be told from what the writer did. The caller holds the lock. With
  /// `beforeSave` that version is durable when the command saves next, which it does before it takes
  /// any words away.
  func startOperation(
    _ command: JournalOperation.Command, _ subject: String, _ paths: [EntryPath],
    beforeSave: Bool = false
  ) async throws -> OperationDraft {
    var draft = OperationDraft(command: command, subject: subject)
    try await extendOperation(&draft, with: paths, beforeSave: beforeSave)
    draft.commitBefore = try await stateCommitID()
    return draft
  }

  /// The commit that shows the journal as it is kept now. Never inlined: Swift 6.3.1 crashes when it
  /// splits a coroutine with this one inside in a release build.
  @inline(never)
  func stateCommitID() async throws -> String? { try await repository.stateCommit()?.description }

  /// The act of an entry that `diary new` has made: before it there was nothing.
  func newEntryOperation(_ path: EntryPath) -> OperationDraft {
    OperationDraft(command: .new, subject: subject(of: [path]), paths: [path])
  }

  /// What entries are called in `undo`'s words: a title, or how many they are.
  func subject(of paths: [EntryPath]) -> String {
    guard let path = paths.first, paths.count == 1 else { return Journal.entryCount(paths.count) }
    return (try? entry(at: path))?.title ?? path.text
  }

  static func entryCount(_ entries: Int) -> String {
    entries == 1 ? "1 entry" : "\(entries) entries"
  }

  /// The same for further paths of an act under way.
  func extendOperation(
    _ draft: inout OperationDraft, with paths: [EntryPath], beforeSave: Bool = false
  ) async throws {
    let newPaths = paths.filter { !draft.paths.contains($0) }
    guard !newPaths.isEmpty else { return }
    _ = try await save(
      try await collectChanges(newPaths, atStart: false), beforeCommit: beforeSave)
    draft.before.merge(try await repository.savedBlobs(at: newPaths)) { old, _ in old }
    draft.paths.formUnion(newPaths)
  }

  /// Remembers what an act has done, now that it is kept. The caller holds the lock.
  func recordOperation(_ draft: OperationDraft, _ outcome: SaveOutcome) async throws {
    let after = try await repository.savedBlobs(at: Array(draft.paths))
    let files = draft.paths.sorted().compactMap { path -> JournalOperation.File? in
      guard draft.before[path] != after[path] else { return nil }
      return JournalOperation.File(
        name: path.percentEncoded, before: draft.before[path]?.description,
        after: after[path]?.description)
    }
    guard !files.isEmpty else { return }
    let state = try await stateCommitID()
    let operation = JournalOperation(
      command: draft.command, subject: draft.subject, at: now, before: draft.commitBefore,
      after: outcome.commit?.id ?? state, files: files, marks: draft.importDigests,
      undone: draft.undone)
    try operations.update { all in
      all.append(operation)
      all.removeFirst(max(0, all.count - Journal.maxOperations))
    }
  }

  /// The end of a command: saves what it wrote, and remembers it for `diary undo`.
  func saveCommandChanges(
    _ paths: [EntryPath], deleted: Set<EntryPath> = [], from source: SaveSource = .command,
    as draft: OperationDraft, message: String? = nil, progress: (Int) -> Void = { _ in }
  ) async throws -> SaveOutcome {
    var draft = draft
    draft.paths.formUnion(paths)
    draft.paths.formUnion(deleted)
    let outcome = try await saveCommandChanges(
      paths, deleted: deleted, from: source, message: message, progress: progress)
    try await recordOperation(draft, outcome)
    return outcome
  }
}
