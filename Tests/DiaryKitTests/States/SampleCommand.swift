import DiaryCore
import Foundation
import TestSupport

@testable import DiaryKit

/// A command, or another way in which Diary meets a file, as the table in docs/architecture.md
/// names it.
enum SampleCommand: String, CaseIterable, Sendable {
  case add, rename, delete, restore, undo, star, fix, page, save, watch, sync, leave, show

  /// The result of a command for the path.
  enum Outcome: Sendable {
    case done
    /// Nothing was changed, for this reason.
    case refused(String)
    /// The file was left out, for this reason.
    case skipped(String)
  }

  func run(on path: EntryPath, in sample: ReceivingJournal) async throws -> Outcome {
    do {
      return try await perform(path, sample)
    } catch {
      return .refused(DiaryError.message(of: error))
    }
  }

  private func perform(_ path: EntryPath, _ sample: ReceivingJournal) async throws -> Outcome {
    let journal = sample.journal
    switch self {
    case .add:
      var addition = NewEntry()
      addition.message = "An evening."
      return outcome(
        of: try await journal.entries.add(addition, to: path, withTime: false).outcome, path)
    case .rename: _ = try await journal.entries.rename(path, to: "Night")
    case .delete: _ = try await journal.entries.delete([path])
    case .restore:
      let found = try await journal.history.resolveIncludingDeleted(path.text, .newestOfDay)
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
    case .sync:
      try await sample.receive(["other.md": "Another entry, of another device.\n"])
      guard try sample.text("other.md").contains("of another device") else {
        return .refused("not received")
      }
    case .leave: _ = try await journal.leave(.keep)
    case .show:
      let shown = try await journal.catalog.list().map(\.path)
      guard shown.contains(path) else { return .skipped("not in the list") }
    }
    return .done
  }

  private func outcome(of save: SaveOutcome, _ path: EntryPath) -> Outcome {
    if let file = save.skipped.first(where: { $0.path == path }) { return .skipped(file.reason) }
    if save.missing.contains(path) { return .skipped("missing") }
    if save.ignored.contains(path) { return .skipped("ignored") }
    return .done
  }
}
