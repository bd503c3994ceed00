import DiaryCore
import Foundation
import Glibc
import TestSupport

@testable import DiaryKit

extension DeviceRun {
  private static let names = [
    "2026/11/2026-11-21.md", "2026/11/2026-11-22.md", "ideas.md", "walk.md", "walk-home.md",
    "2026/11/2026-11-21-river.md", "old/ideas.md",
  ]

  func play(_ step: DeviceStep) async throws {
    var writer = DeviceWriter(random: SeededGenerator(step.seed), number: step.number * 1_000)
    switch step.action {
    case .write, .create, .move, .moveFolder, .remove, .copyConflict:
      try changeFiles(step, &writer)
    case .open, .type, .put, .close: try edit(step, &writer)
    case .unmount, .mount: try moveDisk(step)
    case .pull, .commit: try await useGit(step)
    case .add, .star, .rename, .delete, .restore, .undo, .redo, .importNotes, .mergeCopies, .save,
      .watch, .sync, .watchedSync, .openPage, .writePage, .kill:
      try await runCommand(step, &writer)
    }
  }

  /// A random file that no editor of this device has open.
  private func file(_ device: Device, _ writer: inout DeviceWriter) -> String? {
    let all = files(of: device).filter { $0 != device.editor?.path }
    return all.isEmpty ? nil : writer.random.one(all)
  }

  private func isFree(_ path: String, _ device: Device) -> Bool {
    text(path, on: device) == nil && device.editor?.path != path
      && !(device.away.map { path.hasPrefix($0.folder + "/") } ?? false)
  }

  private func changeFiles(_ step: DeviceStep, _ writer: inout DeviceWriter) throws {
    let device = devices[step.device]
    let folder = home.homePath + "/" + device.name + "/"
    if step.action == .create {
      let path = writer.random.one(Self.names)
      guard isFree(path, device) else { return }
      let text = writer.entry()
      log(step, "begins \(path): \(text.debugDescription)")
      try write(text, path, on: device, from: "")
      return
    }
    if step.action == .moveFolder {
      let (from, to) = writer.random.one([
        ("2026/11", "2026/12"), ("2026/12", "2026/11"), ("old", "older"), ("2026/11", "old"),
      ])
      guard device.away == nil, !(device.editor?.path.hasPrefix(from) ?? false),
        rename(folder + from, folder + to) == 0
      else { return }
      log(step, "moves \(from) to \(to)")
      return
    }
    guard let path = file(device, &writer), let old = text(path, on: device) else { return }
    switch step.action {
    case .write:
      let new = writer.edited(old)
      log(step, "edits \(path): \(old.debugDescription) → \(new.debugDescription)")
      try write(new, path, on: device, from: old)
    case .move:
      let new = writer.random.one(Self.names)
      guard isFree(new, device) else { return }
      let text = writer.random.roll(3) == 0 ? writer.edited(old) : old
      log(step, "moves \(path) to \(new)" + (text == old ? "" : " and edits it"))
      try FileManager.default.createDirectory(
        atPath: ((folder + new) as NSString).deletingLastPathComponent,
        withIntermediateDirectories: true)
      rename(folder + path, folder + new)
      if text != old { try write(text, new, on: device, from: old) }
    case .remove:
      log(step, "removes \(path)")
      deleted.formUnion(DeviceWriter.words(old).keys)
      unlink(folder + path)
    case .copyConflict:
      // Another program syncs the folder too, and has met an edit of this version elsewhere.
      let stem = (path as NSString).deletingPathExtension
      let copy = stem + Self.copyMark + "20261122-2218\(10 + step.number % 50)-DGYN457.md"
      let new = old + "\n" + writer.sentence() + "\n"
      log(step, "gets \(copy): \(new.debugDescription)")
      // It is not saved until it is merged.
      try home.write(new, to: device.name + "/" + copy)
    default: break
    }
  }

  private func edit(_ step: DeviceStep, _ writer: inout DeviceWriter) throws {
    let device = devices[step.device]
    switch step.action {
    case .open:
      guard device.editor == nil, let path = file(device, &writer),
        let text = text(path, on: device)
      else { return }
      log(step, "opens \(path)")
      devices[step.device].editor = Buffer(path: path, text: text, seen: text)
    case .type:
      guard let buffer = device.editor else { return }
      let new = writer.edited(buffer.text)
      log(step, "types in \(buffer.path): \(new.debugDescription)")
      devices[step.device].editor?.text = new
    case .put:
      guard let buffer = device.editor, buffer.text != buffer.seen,
        !(device.away.map { buffer.path.hasPrefix($0.folder + "/") } ?? false)
      else { return }
      log(step, "writes the open \(buffer.path)")
      try put(step.device)
    default:
      guard let buffer = device.editor else { return }
      log(step, "closes \(buffer.path)")
      devices[step.device].editor = nil
    }
  }

  private func moveDisk(_ step: DeviceStep) throws {
    let device = devices[step.device]
    if step.action == .mount {
      guard device.away != nil else { return }
      log(step, "has its disk back")
      mount(step.device)
      return
    }
    let folder = "2026"
    let place = home.homePath + "/disk-" + device.name
    // Nobody can tell an empty folder from a mount point that never had a file.
    guard device.away == nil, files(of: device).contains(where: { $0.hasPrefix(folder + "/") }),
      rename(home.homePath + "/\(device.name)/\(folder)", place) == 0
    else { return }
    log(step, "loses the disk of \(folder)")
    mkdir(home.homePath + "/\(device.name)/\(folder)", 0o755)
    devices[step.device].away = (folder, place)
  }

  private func useGit(_ step: DeviceStep) async throws {
    let device = devices[step.device]
    // git takes an empty mount point for a folder whose files were deleted.
    guard device.away == nil else { return }
    // Aborting a merge takes changes away that are not committed.
    let command =
      step.action == .pull
      ? "git diff --quiet HEAD && { git pull -q --no-rebase --no-edit || git merge --abort; }"
      : "git commit -qam mine"
    let result = try await home.run("sh", ["-c", command], in: device.name)
    log(step, "\(command): \(result.status) \(result.errors.prefix(200))")
  }
}
