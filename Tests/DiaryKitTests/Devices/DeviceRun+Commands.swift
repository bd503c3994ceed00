import DiaryCore
import EntryFiles
import Foundation
import TestSupport

@testable import DiaryKit

extension DeviceRun {
  /// Runs a command. A refusal changes nothing, and is logged.
  func runCommand(_ step: DeviceStep, _ writer: inout DeviceWriter) async throws {
    let device = devices[step.device]
    let before = words(of: device)
    var (known, takesAway) = (Set<String>(), false)
    let candidates = files(of: device)
    let path = candidates.isEmpty ? nil : writer.random.one(candidates)
    do {
      switch step.action {
      case .kill:
        let command = try await kill(step, path, &writer, &known)
        takesAway = ["delete", "undo", "redo"].contains(command)
      case .mergeCopies: try await mergeCopies(step.device)
      case .importNotes: known = try await importNotes(step, &writer)
      default:
        takesAway = [.delete, .restore, .undo, .redo].contains(step.action)
        try await run(step, path, &writer, &known)
        if [.save, .watch, .sync].contains(step.action) { saved.formUnion(before.keys) }
      }
    } catch let error as DiaryError {
      log(step, "is refused \(step.action.rawValue): \(DiaryError.message(of: error))")
    }
    let after = words(of: device)
    if let open = device.editor?.path, let text = text(open, on: device) {
      // An editor that is not known to have the file open takes a command's words away again.
      deleted.formUnion(known.intersection(DeviceWriter.words(text).keys))
    }
    written.formUnion(known.intersection(after.keys))
    if takesAway {
      deleted.formUnion(before.filter { after[$0.key, default: 0] < $0.value }.keys)
    }
  }

  private func run(
    _ step: DeviceStep, _ path: String?, _ writer: inout DeviceWriter, _ known: inout Set<String>
  ) async throws {
    let journal = devices[step.device].journal
    switch step.action {
    case .save:
      log(step, "saves")
      _ = try await journal.save()
    case .watch:
      log(step, "saves as the watcher does")
      let saved = try await home.git("ls-files", "-z", in: devices[step.device].name)
      let names = saved.split(separator: "\0").map(String.init) + files(of: devices[step.device])
      let paths = Set(names.compactMap { EntryPath($0) }).sorted()
      _ = try await journal.locked {
        try await $0.saver.saveChanges(try await $0.saver.collectChanges(paths, atStart: false))
      }
    case .sync:
      log(step, "syncs")
      _ = try await journal.remote.sync()
    case .watchedSync:
      log(step, "syncs as the watcher does")
      let result = try await journal.remote.syncForWatcher()
      for displaced in result.outcome.displaced { displaced.file.discard() }
    case .undo:
      let plan = try await journal.history.planUndo()
      log(step, "undoes \(plan.steps)")
      _ = try await journal.history.undo(plan)
    case .redo:
      let plan = try await journal.history.planRedo()
      log(step, "redoes \(plan.steps)")
      _ = try await journal.history.undo(plan)
    case .writePage: try await writePage(step, &writer, &known)
    default:
      guard let path, let entry = EntryPath(path) else { return }
      log(step, "runs \(step.action.rawValue) with \(path)")
      try await change(step, entry, &writer, &known)
    }
  }

  private func change(
    _ step: DeviceStep, _ entry: EntryPath, _ writer: inout DeviceWriter, _ known: inout Set<String>
  ) async throws {
    let journal = devices[step.device].journal
    switch step.action {
    case .add:
      var addition = NewEntry()
      addition.message = writer.sentence()
      known.formUnion(DeviceWriter.words(addition.message ?? "").keys)
      _ = try await journal.entries.add(addition, to: entry, withTime: false)
    case .openPage: devices[step.device].page = try await journal.page.editable(entry)
    case .star: _ = try await journal.entries.star([entry], writer.random.roll(2) == 0)
    case .rename:
      let title: String? = writer.random.one(["Walk home", "River", "Ideas", "Night", nil])
      if title != nil { loseTitle(entry.text, devices[step.device]) }
      let when: String? = writer.random.one(["2026-11-21", "2026-10-03 21:00", nil])
      _ = try await journal.entries.rename(
        entry, to: title, on: title == nil ? when ?? "21:00" : when)
    case .delete: _ = try await journal.entries.delete([entry])
    case .restore:
      let found = try await journal.history.resolveIncludingDeleted(entry.text)
      _ = try await journal.history.restore(found, at: "1")
    default: break
    }
  }

  private func writePage(
    _ step: DeviceStep, _ writer: inout DeviceWriter, _ known: inout Set<String>
  ) async throws {
    let device = devices[step.device]
    guard let page = device.page, let text = page.text else { return }
    let body = writer.edited(text.body)
    log(step, "writes \(page.path) on the page: \(body.debugDescription)")
    let outcome = try await device.journal.page.write(
      page.path, title: text.title, body: body, from: page.version)
    guard case .written = outcome else { return log(step, "is refused: \(outcome)") }
    let (was, now) = (DeviceWriter.words(text.body), DeviceWriter.words(body))
    deleted.formUnion(was.filter { now[$0.key, default: 0] < $0.value }.keys)
    known.formUnion(now.keys)
    devices[step.device].page = nil
  }

  /// Imports notes that change from one import to the next.
  private func importNotes(_ step: DeviceStep, _ writer: inout DeviceWriter) async throws
    -> Set<String>
  {
    let journal = devices[step.device].journal
    var known: Set<String> = []
    for name in ["one.md", "two.md"] {
      let old = (try? home.read("notes/" + name)) ?? ""
      let new = old.isEmpty ? writer.entry() : writer.edited(old)
      let (was, now) = (DeviceWriter.words(old), DeviceWriter.words(new))
      deleted.formUnion(was.filter { now[$0.key, default: 0] < $0.value }.keys)
      known.formUnion(now.keys)
      try home.write(new, to: "notes/" + name)
    }
    log(step, "imports notes")
    let source = try ImportSource(home.homePath + "/notes", for: journal)
    _ = try await journal.transfer.importEntries(
      journal.transfer.readImport([source], format: "markdown")
    ) { _, _, _ in }
    return known
  }

  /// Merges the conflict copies of a device into their entries.
  func mergeCopies(_ index: Int) async throws {
    let device = devices[index]
    for copy in try await device.journal.checkouts.conflictCopies() {
      let copied = Set(DeviceWriter.words(text(copy.path.text, on: device) ?? "").keys)
      actionLog.append("  \(device.name) merges \(copy.path.text)")
      _ = try await device.journal.checkouts.merge(copy)
      written.formUnion(copied.intersection(words(of: device).keys))
    }
  }

  /// The words of the title, which another title replaces.
  private func loseTitle(_ path: String, _ device: Device) {
    let lines = (text(path, on: device) ?? "").split(separator: "\n")
    let title = lines.first { $0.hasPrefix("title:") || $0.hasPrefix("# ") }
    deleted.formUnion(DeviceWriter.words(String(title ?? "")).keys)
  }

  /// Returns the name of the command.
  private func kill(
    _ step: DeviceStep, _ path: String?, _ writer: inout DeviceWriter, _ known: inout Set<String>
  ) async throws -> String {
    let device = devices[step.device]
    let words = writer.sentence()
    var commands = [
      ["save"], ["sync"], ["undo", "--yes"], ["redo", "--yes"], ["import", "../notes"],
    ]
    if let path {
      commands += [
        ["add", "--to", path, words], ["rename", path, "Dusk"], ["star", path],
        ["delete", "--yes", path], ["rename", path, "--date", "2026-10-03"],
      ]
    }
    let command = writer.random.one(commands)
    let effect = 1 + writer.random.roll(150)
    known.formUnion(DeviceWriter.words(words).keys)
    if command.last == "Dusk", let path { loseTitle(path, device) }
    if command[0] == "import" {
      for name in ["one.md", "two.md"] {
        known.formUnion(DeviceWriter.words((try? home.read("notes/" + name)) ?? "").keys)
      }
    }
    log(step, "is killed at effect \(effect) of \(command)")
    try await home.run(
      Sandbox.programs + "/FaultTracer",
      [home.homePath + "/" + device.name, home.homePath + "/effects", "\(effect)", "kill"]
        + [Sandbox.programs + "/diary"] + command, in: device.name)
    return command[0]
  }
}
