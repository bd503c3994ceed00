import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// What `diary undo` would do.
package struct UndoPlan: Sendable {
  /// What to do with one file.
  package enum Step: Sendable, Equatable {
    /// It was made: take it away.
    case remove(EntryPath)
    /// It was taken away: bring it back.
    case restore(EntryPath)
    /// It was changed: put back what it was.
    case revert(EntryPath)
  }

  /// What is taken back.
  package var operation: JournalOperation
  /// In the order of the paths.
  package var steps: [Step]
  /// Files that stay as they are, and why, as the rest of a sentence that begins with the path.
  package var skipped: [SkippedFile]
  /// The subjects of the commits that came after it and stay, the newest first.
  package var laterCommits: [String]
}

extension Journal {
  /// What the last thing that Diary itself did was, and what of it can be taken back.
  package func planUndo() async throws -> UndoPlan {
    guard let last = try operations.load().last else {
      throw DiaryError(
        localized("there is no operation to undo"), kind: .nothingFound,
        hint: localized("for your own changes, see `diary history REF`"))
    }
    return try await undoPlan(for: last)
  }

  /// What of one operation can be taken back.
  func undoPlan(for last: JournalOperation) async throws -> UndoPlan {
    var plan = UndoPlan(
      operation: last, steps: [], skipped: [], laterCommits: await laterCommits(than: last))
    for file in last.files {
      guard let path = file.path else { continue }
      if let reason = try await skipReason(file, path) {
        plan.skipped.append(SkippedFile(path: path, reason: reason))
      } else if file.afterID == nil {
        plan.steps.append(.restore(path))
      } else {
        plan.steps.append(file.beforeID == nil ? .remove(path) : .revert(path))
      }
    }
    // Half of a rename would be the entry twice, or not at all.
    if last.isRename, !plan.skipped.isEmpty {
      plan.skipped += plan.steps.map {
        SkippedFile(path: $0.path, reason: localized("belongs to the same rename"))
      }
      plan.steps = []
    }
    return plan
  }

  private func laterCommits(than operation: JournalOperation) async -> [String] {
    guard let after = operation.after.flatMap({ CommitID($0) }),
      let repository = try? repository, let tip = try? await repository.head().commit,
      let commits = try? await repository.unpushed(tip, known: [after])
    else { return [] }
    return commits.map { $0.message.split(separator: "\n").first.map(String.init) ?? "" }
  }

  private func skipReason(_ file: JournalOperation.File, _ path: EntryPath) async throws
    -> String?
  {
    if isOpenInEditor(path) { return localized("is open in an editor") }
    let present = try folder.read(path)?.bytes
    guard let after = file.afterID else {
      return present == nil ? nil : localized("exists again")
    }
    guard let present else { return localized("is gone") }
    return try await repository.blobID(of: present, at: path) == after
      ? nil : localized("changed since then, so it stays as it is")
  }

  /// Takes the last thing back, as far as the plan says; that is an act of its own.
  package func undo(_ plan: UndoPlan) async throws -> SaveOutcome {
    try await withJournalLock {
      // A deletion brings back nothing that came after it.
      let all = try self.operations.load()
      guard
        all.last == plan.operation
          || plan.operation.command == .delete && all.contains(plan.operation)
      else {
        throw DiaryError(
          localized("another operation came in between"), hint: localized("run `diary undo` again"))
      }
      var draft = try await self.startOperation(
        .undo, plan.operation.subject, plan.steps.map(\.path), beforeSave: true)
      draft.undone = plan.operation.undone ?? plan.operation.command
      draft.importDigests = plan.operation.marks
      let states = Dictionary(
        uniqueKeysWithValues: plan.operation.files.compactMap { file in
          file.path.map { ($0, file) }
        })
      // What comes back comes first: never less than before, whatever happens in between.
      var written: [EntryPath] = []
      // Not every disk has the new names before the old files are gone: the save comes between the two.
      var replaced: [DisplacedFile] = []
      defer { for file in replaced { file.discard() } }
      for step in plan.steps where !step.isRemoval {
        guard let state = states[step.path] else { continue }
        if let old = try await self.write(step, state) { replaced.append(old) }
        written.append(step.path)
      }
      let removals = plan.steps.filter(\.isRemoval).map(\.path)
      if !removals.isEmpty {
        let changes = try await self.collectChanges(
          written, atStart: false, notIgnored: Set(written))
        let isFlushed = try await self.saveDeletions(of: removals, with: changes, from: .restore)
        for path in removals {
          guard let state = states[path] else { continue }
          try await self.remove(path, state, syncs: !isFlushed)
        }
      }
      if let marks = draft.importDigests {
        try self.recordImport(marks, areImported: plan.operation.command == .undo)
      }
      // Another device's import must not take what has been undone for what was deleted.
      let isUndoneImport = plan.operation.command == .import
      let verb = plan.operation.command == .undo ? "Redo" : "Undo"
      let what = (draft.undone ?? .undo).rawValue + " " + terminalLine(draft.subject)
      return try await self.saveCommandChanges(
        written, deleted: Set(removals), from: .restore, as: draft,
        message: verb + " " + truncated(what, toWidth: 60)
          + (isUndoneImport ? "\n\n\(Journal.undoneImportTrailer)\n" : ""))
    }
  }

  /// Writes a file as it was. Answers what stood there, for the caller to discard when a save has made
  /// the new name durable.
  private func write(
    _ step: UndoPlan.Step, _ state: JournalOperation.File
  ) async throws -> DisplacedFile? {
    guard let old = state.beforeID else { return nil }
    let path = step.path
    let bytes = try await repository.content(of: old, as: path)
    if let new = state.afterID {
      let present = try await currentContent(at: path, expecting: new)
      return try replaceContent(with: bytes, expecting: present, at: path, syncsName: false)
    }
    guard try folder.createIfFree(path, bytes, syncsName: false) else {
      throw DiaryError(
        localized("\(path.text) exists again"), hint: localized("run `diary undo` again"))
    }
    return nil
  }

  private func remove(
    _ path: EntryPath, _ state: JournalOperation.File, syncs: Bool
  ) async throws {
    guard let new = state.afterID else { return }
    let present = try await currentContent(at: path, expecting: new)
    try folder.remove(
      path, expecting: present, displacedDirectory: stateFolder, syncs: syncs)?.discard()
    folder.removeEmptyFolders(above: path)
  }

  /// The file's bytes, if they are still what an act has left there.
  private func currentContent(at path: EntryPath, expecting content: ObjectID) async throws
    -> [UInt8]
  {
    guard let bytes = try folder.read(path)?.bytes,
      try await repository.blobID(of: bytes, at: path) == content
    else {
      throw DiaryError(
        localized("\(path.text) changed in the meantime, so Diary did not touch it"),
        hint: localized("try again"))
    }
    return bytes
  }
}

extension JournalOperation {
  /// A rename, or the taking back of one.
  var isRename: Bool { (undone ?? command) == .rename }
}

extension UndoPlan {
  /// Whether a file goes by it.
  package var removesFiles: Bool { steps.contains(where: \.isRemoval) }
}

extension UndoPlan.Step {
  /// The file.
  package var path: EntryPath {
    switch self {
    case .remove(let path), .restore(let path), .revert(let path): path
    }
  }

  var isRemoval: Bool { if case .remove = self { true } else { false } }
}
