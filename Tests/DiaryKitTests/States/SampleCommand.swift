import DiaryCore
import Foundation
import TestSupport

@testable import DiaryKit

/// A command, or another way in which Diary meets a file, as the table in docs/architecture.md
/// names it.
enum SampleCommand: String, CaseIterable, Sendable {
  case new, add, attach, edit, rename, delete, restore, undo, star, `import`, fix, config, page,
    save
  case watch, stamp, sync
  case syncIn = "sync in"
  case syncOut = "sync out"
  case leave, show

  /// The words that the command itself writes.
  var words: String? {
    switch self {
    case .new, .add, .attach: "An evening."
    case .edit: "Typed in the editor."
    case .import: "From the source."
    case .page: "Written on the page."
    case .syncIn: "From afar."
    case .rename, .delete, .restore, .undo, .star, .fix, .config, .save, .watch, .stamp, .sync,
      .syncOut, .leave, .show:
      nil
    }
  }

  /// The result of a command for the path.
  enum Outcome: Sendable {
    case done
    /// Nothing was changed, for this reason.
    case refused(String)
    /// The file was left out, for this reason.
    case skipped(String)
  }

  func run(on state: SampleState, in sample: ReceivingJournal) async throws -> Outcome {
    guard self == .syncOut else { return try await run(at: state.path, in: sample) }
    // The editor of `diary edit` has not written its words yet.
    let words = state == .editing ? ["We met at the station."] : state.words
    do { return try await sample.send(words) } catch {
      return .refused(DiaryError.message(of: error))
    }
  }

  func run(at path: EntryPath, in sample: ReceivingJournal) async throws -> Outcome {
    do { return try await perform(path, sample) } catch {
      return .refused(DiaryError.message(of: error))
    }
  }

  private func perform(_ path: EntryPath, _ sample: ReceivingJournal) async throws -> Outcome {
    let journal = sample.journal
    switch self {
    case .new:
      var new = NewEntry()
      (new.title, new.message) = ("Night", "An evening.")
      let folder = path.folder.map { $0.text + "/" } ?? ""
      let there = try sample.world.journal(["DIARY_LAYOUT": folder + "{slug}.md"])
      let draft = try await there.entries.createDraft(new)
      return outcome(of: try await there.entries.saveDraft(draft), draft.path)
    case .add, .attach:
      var addition = NewEntry()
      addition.message = "An evening."
      if self == .attach {
        try sample.world.home.write("Notes of that evening.", to: "evening.pdf")
        addition.attachments = [sample.world.home.homePath + "/evening.pdf"]
      }
      return outcome(
        of: try await journal.entries.add(addition, to: path, withTime: false).outcome, path)
    case .edit:
      let script = try sample.world.home.script(
        "typing", "printf '\\nTyped in the editor.\\n' >>\"$1\"\n")
      let result = try await journal.entries.edit(path, in: EditorCommand(script) { _ in nil }) {
        _ in
        false
      }
      guard case .written(let saved, let save) = result else { return .skipped("not written") }
      return outcome(of: save, saved)
    case .rename: _ = try await journal.entries.rename(path, to: "Night")
    case .delete: _ = try await journal.entries.delete([path])
    case .restore:
      let found = try await journal.history.resolveIncludingDeleted(path.text)
      if case .current = found {
        _ = try await journal.history.restore(found, at: "1")
      } else {
        _ = try await journal.history.restore(found, at: nil)
      }
    case .undo:
      let plan = try await journal.history.planUndo()
      if plan.steps.isEmpty { return .refused(plan.skipped.first?.reason ?? "nothing to undo") }
      _ = try await journal.history.undo(plan)
    case .star: return outcome(of: try await journal.entries.star([path], true).save, path)
    case .import:
      let imported = try await sample.importNotes([
        "a.md": SampleState.text.replacing("We met", with: "From the source.\n\nWe met")
      ])
      guard !imported.updated.isEmpty else {
        return .skipped(imported.differences.first ?? "\(imported)")
      }
      return outcome(of: imported.save, path)
    case .config: _ = try await journal.settingsFiles.configure("units", to: .text("imperial"))
    case .fix:
      guard try await journal.entries.fixQuotes().contains(path) else {
        return .skipped("not rewritten")
      }
    case .page:
      let shown = try await journal.page.editable(path)
      let outcome = try await journal.page.write(
        path, title: shown.text?.title ?? "",
        body: "Written on the page.\n\n" + (shown.text?.body ?? ""), from: shown.version)
      switch outcome {
      case .written: break
      case .held(let holder): return .refused(holder)
      case .deleted: return .refused("deleted")
      case .unknownVersion: return .refused("unknown version")
      }
    case .save: return outcome(of: try await journal.save(), path)
    case .watch:
      return outcome(of: try await journal.savePaths(path), path)
    case .stamp:
      let watched = try sample.world.journal(["DIARY_AUTOSAVE__SITTING": "1s"])
      let watcher = try Autosave(watched) { _ in }
      do {
        try await watcher.add(WaitingStamp(moment: journal.now, weather: "Rain, 7°C"), path)
      } catch { return .skipped("not recorded: \(error)") }
      await watcher.writeStamps()
      let text = try? sample.text(path.text)
      guard text?.contains("weather: Rain") == true else { return .skipped("not written") }
    case .syncIn:
      try await sample.receiveWords("From afar.", at: path)
      guard try sample.texts().values.contains(where: { $0.contains("From afar.") }) else {
        return .skipped("waits")
      }
    case .syncOut: preconditionFailure("it needs the words of the state")
    case .sync:
      try await sample.receive(["other.md": "Another entry, of another device.\n"])
      guard try sample.text("other.md").contains("of another device") else {
        return .refused("not received")
      }
    case .leave:
      _ = try await journal.leave(.keep)
    case .show:
      let shown = try await journal.catalog.list().map(\.path)
      guard shown.contains(path) else { return .skipped("not in the list") }
    }
    return .done
  }

  private func outcome(of save: SaveOutcome, _ path: EntryPath) -> Outcome {
    if let file = save.skipped.first(where: { $0.path == path }) { return .skipped(file.reason) }
    if save.missing.contains(path) { return .skipped("missing") }
    if save.stillChanging.contains(path) { return .skipped("is being written") }
    if save.ignored.contains(path) { return .skipped("ignored") }
    return .done
  }
}
