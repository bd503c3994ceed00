import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The plan of an undo, or of a redo.
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

  /// The operation to undo; to redo if it is undone.
  package var operation: JournalOperation
  /// The actions, in the order of the paths. If a file was changed since the operation, there are
  /// none, except with `keepingChanged`.
  package var steps: [Step] = []
  /// Files that are not changed. The reason completes a sentence that begins with the path.
  package var skipped: [SkippedFile] = []
  /// The files that already are as before the operation: a killed undo, or the user, did that.
  var reverted: [JournalOperation.File] = []
  /// True if `keepingChanged` would undo a part of the operation.
  package var isPartlyPossible = false
  /// True if the remote has the files as the operation left them.
  package var isPushed = false
}

/// A recorded operation, as `undo --list` shows it.
package struct ListedOperation: Sendable {
  /// The operation.
  package var operation: JournalOperation
  /// The files that stop its undo: they are not as it left them, or as the operations after it
  /// found them. The reason completes a sentence that begins with the path.
  package var obstacles: [SkippedFile] = []
  /// True if its undo, or its redo, is possible once those of the operations before it in the list
  /// are done.
  package var isPossible: Bool
}

extension History {
  /// The plan to undo the newest operation of Diary that is not undone.
  ///
  /// - Parameter keepingChanged: whether files that were changed since then stay, and the rest is
  ///   undone.
  package func planUndo(keepingChanged: Bool = false) async throws -> UndoPlan {
    guard let last = try operations().last(where: { !$0.isUndone }) else {
      throw DiaryError(
        localized("there is no operation to undo"), kind: .nothingFound,
        hint: localized("for your own changes, see `diary history REF`"))
    }
    return try await undoPlan(for: last, keepingChanged: keepingChanged)
  }

  /// The plan to redo the operation that was undone last.
  package func planRedo(keepingChanged: Bool = false) async throws -> UndoPlan {
    guard let last = try operations().last, last.isUndone else {
      throw DiaryError(
        localized("there is no operation to redo"), kind: .nothingFound,
        hint: localized("`diary undo --list` shows the operations"))
    }
    return try await undoPlan(for: last, keepingChanged: keepingChanged)
  }

  /// The plan to undo, or to redo, one operation.
  func undoPlan(
    for operation: JournalOperation, keepingChanged: Bool = false
  ) async throws -> UndoPlan {
    _ = try await journal.catalog.updateIndex()
    var plan = UndoPlan(operation: operation)
    let holders = journal.holders(of: operation.files.compactMap(\.path))
    for file in operation.files {
      guard let path = file.path else { continue }
      switch status(of: file, path, try await blobID(at: path), holders) {
      case .reverted: plan.reverted.append(file)
      case .changed(let reason): plan.skipped.append(SkippedFile(path: path, reason: reason))
      case .unchanged:
        plan.steps.append(
          file.afterID == nil
            ? .restore(path) : file.beforeID == nil ? .remove(path) : .revert(path))
      }
    }
    // Half of a rename would leave the entry twice, or not at all; half of a merge, a text twice or
    // in no file.
    let isDivisible = ![.rename, .move, .merge].contains(operation.command)
    if !plan.skipped.isEmpty, !keepingChanged || !isDivisible {
      plan.isPartlyPossible = isDivisible && !plan.steps.isEmpty
      plan.steps = []
    }
    let shown = try filesShown(beside: plan)
    for case .remove(let path) in plan.steps where shown.contains(path) {
      plan.skipped.append(
        SkippedFile(path: path, reason: localized("is still shown in an entry, so it stays")))
    }
    plan.steps.removeAll { shown.contains($0.path) }
    plan.isPushed = await isPushed(plan)
    return plan
  }

  private enum FileStatus {
    case unchanged, reverted
    /// The reason completes a sentence that begins with the path.
    case changed(reason: String)
  }

  /// How a file with this content (`nil` without a file) differs from what the operation left.
  private func status(
    of file: JournalOperation.File, _ path: EntryPath, _ present: ObjectID?,
    _ holders: [EntryPath: String]
  ) -> FileStatus {
    if let reason = journal.changes.awayReason(at: path) { return .changed(reason: reason) }
    if present == file.beforeID { return .reverted }
    if holders[path] != nil { return .changed(reason: localized("is open in an editor")) }
    if present == file.afterID { return .unchanged }
    return .changed(
      reason: file.afterID == nil
        ? localized("exists again")
        : present == nil
          ? localized("no longer exists")
          : localized("changed since then, so it stays as it is"))
  }

  /// The id of a file's content; `nil` without a file.
  private func blobID(at path: EntryPath) async throws -> ObjectID? {
    guard let bytes = try journal.folder.read(path)?.bytes else { return nil }
    return try await journal.repository.blobID(of: bytes, at: path)
  }

  /// The recorded operations in the order in which `undo` goes back, after those that `redo` brings
  /// forward, the last of them first.
  package func listOperations() async throws -> [ListedOperation] {
    let operations = try operations()
    let holders = journal.holders(of: Array(Set(operations.flatMap(\.files).compactMap(\.path))))
    var contents: [EntryPath: ObjectID?] = [:]
    func list(_ operations: [JournalOperation]) async throws -> [ListedOperation] {
      var listed: [ListedOperation] = []
      var present = contents
      for operation in operations {
        var row = ListedOperation(operation: operation, isPossible: listed.last?.isPossible ?? true)
        for file in operation.files {
          guard let path = file.path else { continue }
          let content: ObjectID?
          if let known = present[path] {
            content = known
          } else {
            content = try await blobID(at: path)
            contents[path] = .some(content)
          }
          if case .changed(let reason) = status(of: file, path, content, holders) {
            row.obstacles.append(SkippedFile(path: path, reason: reason))
          }
          present[path] = .some(file.beforeID)
        }
        if !row.obstacles.isEmpty { row.isPossible = false }
        listed.append(row)
      }
      return listed
    }
    let redo = try await list(operations.filter(\.isUndone).reversed())
    return try await redo.reversed() + list(operations.filter { !$0.isUndone }.reversed())
  }

  /// True if the remote has a file as the operation left it.
  private func isPushed(_ plan: UndoPlan) async -> Bool {
    guard let target = try? await journal.remote.syncTarget(),
      let tip = try? await journal.repository.commit(of: target.trackingRef)
    else { return false }
    let changed = Set(plan.steps.map(\.path))
    // The files of an operation are pushed together, so a few of them tell.
    for file in plan.operation.files.filter({ $0.path.map(changed.contains) == true }).prefix(20) {
      guard let path = file.path else { continue }
      if (try? await journal.repository.file(at: path, in: tip))??.blob == file.afterID {
        return true
      }
    }
    return false
  }

  /// The files that the plan removes and that an entry refers to which stays as it is. After an
  /// import, which may bring thousands of files, only its own entries are asked.
  private func filesShown(beside plan: UndoPlan) throws -> Set<EntryPath> {
    let media = LinkedFileLookup(journal)
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

  /// Undoes, or redoes, an operation as planned.
  package func undo(_ plan: UndoPlan) async throws -> SaveOutcome {
    try plan.requirePossible()
    return try await journal.locked { locked in
      // A deletion can be undone after later operations: its files do not exist any more.
      let all = try operations()
      let isRedo = plan.operation.isUndone
      guard
        all.last(where: { $0.isUndone == isRedo }) == plan.operation
          || plan.operation.command == .delete && all.contains(plan.operation)
      else {
        throw DiaryError(
          localized(
            "another operation happened in the meantime"),
          hint: localized("run the command again"))
      }
      var draft = try await locked.startOperation(
        plan.operation.command, plan.operation.subject, plan.steps.map(\.path), beforeSave: true)
      let files = draft.files
      for step in plan.steps { _ = try files.file(at: step.path) }
      draft.plan = plan
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
      if [.move, .rename].contains(plan.operation.command) {
        try locked.followDates(of: Set(written))
      }
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
      let isUndoneImport = plan.operation.command == .import && !isRedo
      let verb = isRedo ? "Redo" : "Undo"
      let subject = terminalLine(draft.subject)
      let what =
        draft.command.rawValue + " "
        + (plan.operation.entryCount == nil ? "\"\(subject)\"" : subject)
      var outcome = try await locked.saveCommandChanges(
        written, deleted: Set(removals), from: .restore, as: draft,
        message: verb + " " + truncated(what, toWidth: 60)
          + (isUndoneImport ? "\n\n\(Transfer.undoneImportTrailer)\n" : ""))
      let undone = plan.operation.textWithinSentence
      outcome.commit?.subject = isRedo ? localized("Redo \(undone)") : localized("Undo \(undone)")
      return outcome
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
        localized("\(path.text) exists again"), hint: localized("run the command again"))
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

extension JournalOperation.File {
  /// The name and both versions, which identify the change.
  var change: [String?] { [name, before, after] }
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
    guard [.rename, .move].contains(operation.command), let old, let new else { return [:] }
    return [old: new]
  }

  /// Throws if a file that was changed since the operation stops the plan.
  package func requirePossible() throws {
    guard steps.isEmpty, !skipped.isEmpty else { return }
    var details = skipped.prefix(20).map { "\($0.path.text) \($0.reason)" }
    if skipped.count > details.count {
      details.append(localized("and \(skipped.count - details.count) more"))
    }
    throw DiaryError(
      operation.isUndone
        ? localized("cannot redo: \(operation.text)")
        : localized("cannot undo: \(operation.text)"),
      details: details,
      hint: isPartlyPossible
        ? localized("with --keep-changed, these files stay, and the rest is done")
        : localized("`diary history REF` lists every version"))
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
