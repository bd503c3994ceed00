import DiaryCore
import Foundation
import GitHistory

/// The record of a command's changes to the journal, stored in `.git/diary/operations.json` for
/// `diary undo`.
package struct JournalOperation: Codable, Sendable, Equatable {
  /// The command. The set is open: operations of a newer Diary are read and can be undone, too,
  /// because the files alone say how.
  package struct Command: RawRepresentable, Codable, Sendable, Equatable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    static let new = Command(rawValue: "new")
    static let add = Command(rawValue: "add")
    static let rename = Command(rawValue: "rename")
    static let move = Command(rawValue: "move")
    static let delete = Command(rawValue: "delete")
    static let `import` = Command(rawValue: "import")
    static let restore = Command(rawValue: "restore")
    static let star = Command(rawValue: "star")
    static let unstar = Command(rawValue: "unstar")
    static let fill = Command(rawValue: "fill")
    static let merge = Command(rawValue: "merge")
    static let tag = Command(rawValue: "tag")
    static let header = Command(rawValue: "header")
  }

  /// A file before and after the operation: the blob ids of its content, `nil` without a file.
  package struct File: Codable, Sendable, Equatable {
    /// Percent-encoded bytes, because a name need not be valid text.
    var name: String
    var before: String?
    var after: String?
    /// True if its owner could execute the file before it was changed or removed; `nil` for false.
    var executable: Bool?

    /// The file as an undo of the operation changes it.
    var reversed: File { File(name: name, before: after, after: before, executable: executable) }
    var path: EntryPath? { EntryPath(percentEncoded: name) }
    var beforeID: ObjectID? { before.flatMap { ObjectID($0) } }
    var afterID: ObjectID? { after.flatMap { ObjectID($0) } }
  }

  /// The command that made the changes.
  package var command: Command
  /// The object of the command in `undo`'s messages: a title, or a number of entries.
  package var subject: String
  /// Unix seconds.
  package var at: Int
  /// The commit of the journal's state before.
  package var before: String?
  /// The commit of the journal's state after.
  package var after: String?
  var files: [File]
  /// The changes of the marks of imported items, which an undo reverts.
  var marks: [ImportMarkChange]?
  /// The command, if the operation is undone. `files`, `marks`, `before` and `after` are then those
  /// of the undo, so a redo reverses them as an undo does.
  var undone: Command?
  /// True if the operation is undone, and can be redone.
  package var isUndone: Bool { undone != nil }

  private enum CodingKeys: String, CodingKey {
    case command = "verb"
    case subject, at, before, after, files, marks, undone
  }
}

/// An operation in progress, with the state before it started.
struct OperationDraft: Sendable {
  var command: JournalOperation.Command
  var subject: String
  var commitBefore: String?
  var before: [EntryPath: TreeEntry] = [:]
  /// The files as the operation found them.
  var files = EnteredFiles()
  var paths: Set<EntryPath> = []
  var marks: [ImportMarkChange]?
  /// The plan, if this is an undo or a redo.
  var plan: UndoPlan?
  /// Files of the operation that are never saved at their own paths: conflict copies.
  var unsaved: [JournalOperation.File] = []
}

extension History {
  /// The maximum number of recorded operations, and of their bytes. The last one may be larger.
  static let maxOperations = 100
  static let maxOperationBytes = 4 << 20

  /// The recorded operations: those that are not undone, oldest first, then the undone ones in the
  /// order of their undos. `undo` takes the last of the first kind, `redo` the last of all.
  func operations() throws -> [JournalOperation] {
    var operations: [JournalOperation] = []
    for var operation in try journal.state.operations.load() {
      if let undone = operation.undone, operation.command.rawValue == "undo" {
        // Earlier versions of Diary recorded an undo, and the undo of an undo, beside the operation.
        operation.command = undone
        let reversed = Set(operation.files.map(\.reversed.change))
        let former = operations.lastIndex {
          $0.command == undone && reversed.isSubset(of: $0.files.map(\.change))
        }
        if let former, operations.remove(at: former).isUndone { operation.undone = nil }
      } else if !operation.isUndone {
        operations.removeAll(where: \.isUndone)
      }
      operations.append(operation)
    }
    return operations
  }

  /// The commit of the journal's saved state.
  func stateCommitID() async throws -> String? {
    try await journal.repository.stateCommit()?.description
  }

  /// The operation of `diary new`. The entry did not exist before.
  func newEntryOperation(_ path: EntryPath) -> OperationDraft {
    OperationDraft(command: .new, subject: subject(of: [path]), paths: [path])
  }

  /// The name of entries in `undo`'s messages: a title, or their number.
  func subject(of paths: [EntryPath]) -> String {
    guard let path = paths.first, paths.count == 1 else { return History.entryCount(paths.count) }
    return (try? journal.weather.entry(at: path))?.title ?? path.text
  }

  static func entryCount(_ entries: Int) -> String {
    entries == 1 ? "1 entry" : "\(entries) entries"
  }
}

extension LockedJournal {
  /// Starts an operation on `paths`, which are entered first: unsaved text in them becomes a
  /// separate version, so that the user's changes are distinguished from the command's. With
  /// `beforeSave` that version is flushed to the disk together with the command's own save.
  func startOperation(
    _ command: JournalOperation.Command, _ subject: String, _ paths: [EntryPath],
    beforeSave: Bool = false
  ) async throws -> OperationDraft {
    var draft = OperationDraft(command: command, subject: subject)
    try await extendOperation(&draft, with: paths, beforeSave: beforeSave)
    draft.commitBefore = try await journal.history.stateCommitID()
    return draft
  }

  /// Adds paths to an operation in progress, as at its start.
  func extendOperation(
    _ draft: inout OperationDraft, with paths: [EntryPath], beforeSave: Bool = false
  ) async throws {
    let newPaths = paths.filter { !draft.paths.contains($0) }
    guard !newPaths.isEmpty else { return }
    draft.files.merge(try await saver.enter(newPaths, beforeSave: beforeSave))
    draft.before.merge(try await journal.repository.savedFiles(at: newPaths)) { old, _ in old }
    draft.paths.formUnion(newPaths)
  }

  /// Records the changes of a saved operation.
  func recordOperation(_ draft: OperationDraft, _ outcome: SaveOutcome) async throws {
    let unsaved = draft.unsaved.compactMap(\.path)
    let paths = draft.paths.subtracting(unsaved).sorted()
    let after = try await journal.repository.savedBlobs(at: paths)
    let files =
      draft.unsaved
      + paths.compactMap { path -> JournalOperation.File? in
        let before = draft.before[path]
        guard before?.id != after[path] else { return nil }
        return JournalOperation.File(
          name: path.percentEncoded, before: before?.id.description,
          after: after[path]?.description, executable: before?.isExecutable == true ? true : nil)
      }
    guard draft.plan != nil || !files.isEmpty else { return }
    let state = try await journal.history.stateCommitID()
    var operation = JournalOperation(
      command: draft.command, subject: draft.subject, at: journal.now, before: draft.commitBefore,
      after: outcome.commit?.id ?? state, files: files, marks: draft.marks)
    var all = try journal.history.operations()
    if let plan = draft.plan {
      operation.at = plan.operation.at
      operation.files += plan.reverted.map(\.reversed)
      operation.undone = plan.operation.isUndone ? nil : operation.command
      all.removeAll { $0 == plan.operation }
    } else {
      all.removeAll(where: \.isUndone)
    }
    let end = operation.isUndone ? nil : all.firstIndex(where: \.isUndone)
    all.insert(operation, at: end ?? all.endIndex)
    all.removeFirst(max(0, all.count - History.maxOperations))
    let (encoder, limit) = (JSONEncoder(), History.maxOperationBytes)
    if try journal.state.operations.size + encoder.encode(operation).count > limit {
      // Of each with its comma, and of the brackets.
      let sizes = try all.map { try encoder.encode($0).count + 1 }
      var (total, oldest) = (sizes.reduce(1, +), 0)
      while oldest < all.count - 1, total > limit {
        total -= sizes[oldest]
        oldest += 1
      }
      all.removeFirst(oldest)
    }
    try journal.state.operations.write(all)
  }

  /// Saves the changes of a command and records them for `diary undo`.
  func saveCommandChanges(
    _ paths: [EntryPath], deleted: Set<EntryPath> = [], from source: SaveSource = .command,
    as draft: OperationDraft, message: String? = nil, progress: (Int) -> Void = { _ in }
  ) async throws -> SaveOutcome {
    var draft = draft
    draft.paths.formUnion(paths)
    draft.paths.formUnion(deleted)
    let outcome = try await saver.saveCommandChanges(
      paths, deleted: deleted, from: source, message: message, progress: progress)
    try await recordOperation(draft, outcome)
    return outcome
  }
}
