import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The plan of an undo.
package struct UndoPlan: Sendable {
  /// The action for one file.
  package enum Step: Sendable, Equatable {
    /// Removes a file that was created.
    case remove(EntryPath)
    /// Restores a file that was removed.
    case restore(EntryPath)
    /// Restores the former content of a changed file.
    case revert(EntryPath)
  }

  /// The operation to undo.
  package var operation: JournalOperation
  /// The actions, in the order of the paths.
  package var steps: [Step]
  /// Files that are not changed. The reason completes a sentence that begins with the path.
  package var skipped: [SkippedFile]
  /// The subjects of later commits, which stay, newest first.
  package var laterCommits: [String]
}

extension History {
  /// The plan to undo the last operation of Diary.
  package func planUndo() async throws -> UndoPlan {
    guard let last = try journal.state.operations.load().last else {
      throw DiaryError(
        localized("there is no operation to undo"), kind: .nothingFound,
        hint: localized("for your own changes, see `diary history REF`"))
    }
    return try await undoPlan(for: last)
  }

  /// The plan to undo one operation.
  func undoPlan(for last: JournalOperation) async throws -> UndoPlan {
    var plan = UndoPlan(
      operation: last, steps: [], skipped: [], laterCommits: await laterCommits(than: last))
    _ = try await journal.catalog.updateIndex()
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
    let shown = try filesShown(beside: plan)
    for case .remove(let path) in plan.steps where shown.contains(path) {
      plan.skipped.append(
        SkippedFile(path: path, reason: localized("is still shown in an entry, so it stays")))
    }
    plan.steps.removeAll { shown.contains($0.path) }
    // Half of a rename would leave the entry twice, or not at all; half of a merge, a text twice or
    // in no file.
    if last.isIndivisible, !plan.skipped.isEmpty {
      plan.skipped += plan.steps.map {
        SkippedFile(path: $0.path, reason: localized("belongs to the same operation"))
      }
      plan.steps = []
    }
    return plan
  }

  /// The files that the plan removes and that an entry refers to which stays as it is. After an
  /// import, which may bring thousands of files, only its own entries are asked.
  private func filesShown(beside plan: UndoPlan) throws -> Set<EntryPath> {
    let media = MediaFileLookup(journal)
    let rules = PathClassifier(journal)
    var shown: Set<EntryPath> = []
    for kept in plan.skipped where rules.kind(of: kept.path) == .entry {
      let text = try journal.folder.read(kept.path)
      shown.formUnion(journal.changes.referencedFiles(in: text, of: kept.path, media).found)
    }
    guard plan.operation.command != .import else { return shown }
    let changed = Set(plan.steps.map(\.path))
    for case .remove(let path) in plan.steps where rules.kind(of: path) != .entry {
      if journal.changes.isReferenced(path, among: media, excluding: changed) { shown.insert(path) }
    }
    return shown
  }

  private func laterCommits(than operation: JournalOperation) async -> [String] {
    guard let after = operation.after.flatMap({ CommitID($0) }),
      let repository = try? journal.repository, let tip = try? await repository.head().commit,
      let commits = try? await repository.unpushed(tip, known: [after])
    else { return [] }
    return commits.map { $0.message.split(separator: "\n").first.map(String.init) ?? "" }
  }

  private func skipReason(_ file: JournalOperation.File, _ path: EntryPath) async throws
    -> String?
  {
    if journal.isOpenInEditor(path) { return localized("is open in an editor") }
    if let reason = journal.changes.awayReason(at: path) { return reason }
    let present = try journal.folder.read(path)?.bytes
    guard let after = file.afterID else {
      return present == nil ? nil : localized("exists again")
    }
    guard let present else { return localized("no longer exists") }
    return try await journal.repository.blobID(of: present, at: path) == after
      ? nil : localized("changed since then, so it stays as it is")
  }

  /// Undoes an operation as planned. The undo is recorded as an operation of its own.
  package func undo(_ plan: UndoPlan) async throws -> SaveOutcome {
    try await journal.locked { locked in
      // A deletion can be undone after later operations: its files do not exist any more.
      let all = try journal.state.operations.load()
      guard
        all.last == plan.operation
          || plan.operation.command == .delete && all.contains(plan.operation)
      else {
        throw DiaryError(
          localized(
            "another operation happened in the meantime"), hint: localized("run `diary undo` again")
        )
      }
      var draft = try await locked.startOperation(
        .undo, plan.operation.subject, plan.steps.map(\.path), beforeSave: true)
      let files = draft.files
      for step in plan.steps { _ = try files.file(at: step.path) }
      draft.undone = plan.operation.undone ?? plan.operation.command
      draft.marks = plan.revertedMarks
      let rules = PathClassifier(journal)
      draft.unsaved = plan.operation.files.filter { file in
        file.path.map { path in
          rules.kind(of: path) == .never && plan.steps.contains { $0.path == path }
        } ?? false
      }.map(\.reversed)
      let states = Dictionary(
        uniqueKeysWithValues: plan.operation.files.compactMap { file in
          file.path.map { ($0, file) }
        })
      // Restore files before removing any: an interruption then loses nothing.
      var written: [EntryPath] = []
      // Displaced files are removed after the save: a power failure could keep their removal and
      // lose the new names.
      var replaced: [DisplacedFile] = []
      defer { for file in replaced { file.discard() } }
      for step in plan.steps where !step.isRemoval {
        guard let state = states[step.path] else { continue }
        let file = try files.file(at: step.path)
        if let old = try await locked.write(step, state, over: file) { replaced.append(old) }
        written.append(step.path)
      }
      let removals = plan.steps.filter(\.isRemoval).map(\.path)
      try locked.saver.follow(plan.moves)
      if !removals.isEmpty {
        let changes = try await locked.saver.collectChanges(
          written, atStart: false, notIgnored: Set(written))
        let isFlushed = try await locked.saveUpcomingDeletions(
          of: removals, with: changes, from: .restore)
        for path in removals {
          guard let state = states[path] else { continue }
          let file = try files.file(at: path)
          guard try await locked.isUnchanged(file, since: state) else {
            throw DiaryError.changedMeanwhile(path)
          }
          try locked.saver.remove(file, syncs: !isFlushed)
        }
      }
      if let marks = draft.marks {
        try locked.update(journal.state.imports) { all in
          for mark in marks { all.apply(mark) }
        }
      }
      // The trailer tells another device's import that entries were undone, not deleted.
      let isUndoneImport = plan.operation.command == .import
      let verb = plan.operation.command == .undo ? "Redo" : "Undo"
      let what = (draft.undone ?? .undo).rawValue + " " + terminalLine(draft.subject)
      return try await locked.saveCommandChanges(
        written, deleted: Set(removals), from: .restore, as: draft,
        message: verb + " " + truncated(what, toWidth: 60)
          + (isUndoneImport ? "\n\n\(Transfer.undoneImportTrailer)\n" : ""))
    }
  }
}

extension LockedJournal {
  /// Writes a file's former content. Returns the displaced file, for the caller to discard when a
  /// save has made the new name durable.
  fileprivate func write(
    _ step: UndoPlan.Step, _ state: JournalOperation.File, over file: SettledFile
  ) async throws -> DisplacedFile? {
    guard let old = state.beforeID else { return nil }
    let path = step.path
    let bytes = try await journal.repository.content(of: old, as: path)
    if state.afterID != nil {
      guard try await isUnchanged(file, since: state) else {
        throw DiaryError.changedMeanwhile(path)
      }
      return try saver.replace(file, with: bytes, syncsName: false)
    }
    let isExecutable = state.executable ?? false
    guard
      try journal.folder.createIfFree(path, bytes, isExecutable: isExecutable, syncsName: false)
    else {
      throw DiaryError(
        localized("\(path.text) exists again"), hint: localized("run `diary undo` again"))
    }
    return nil
  }

  /// True if the file is as the operation left it.
  fileprivate func isUnchanged(
    _ file: SettledFile, since state: JournalOperation.File
  ) async throws -> Bool {
    guard let bytes = file.content?.bytes else { return false }
    return try await journal.repository.blobID(of: bytes, at: file.path) == state.afterID
  }
}

extension JournalOperation {
  /// True for a rename or the merge of a conflict copy, and for the undo of one.
  var isIndivisible: Bool { [.rename, .merge].contains(undone ?? command) }
}

extension UndoPlan {
  /// The changes of import marks that the plan makes. An item whose file stays as it is keeps its
  /// mark, unless its text is all that identifies it.
  var revertedMarks: [ImportMarkChange]? {
    let kept = Set(skipped.map(\.path.percentEncoded))
    return operation.marks?.filter { change in
      ![change.before, change.after].contains { mark in
        mark?.digest != nil && mark?.path.map(kept.contains) == true
      }
    }.map(\.reversed)
  }

  /// The new path of the file that an undone rename moves.
  var moves: [EntryPath: EntryPath] {
    var (old, new): (EntryPath?, EntryPath?)
    for step in steps {
      if case .remove(let path) = step { old = path }
      if case .restore(let path) = step { new = path }
    }
    guard (operation.undone ?? operation.command) == .rename, let old, let new else { return [:] }
    return [old: new]
  }

  /// True if the plan removes a file.
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
