import DiaryCore
import TestSupport

/// User actions on the files of a device.
extension SyncRun {
  func put(_ device: SimulatedDevice, _ path: EntryPath, _ bytes: [UInt8]?) {
    recordEdit(from: device.disk[path] ?? [], to: bytes ?? [])
    device.disk[path] = bytes
    if let bytes { device.currentTexts.insert(bytes) }
  }

  /// A random file that no editor of this device has open.
  private func randomFile(
    _ device: SimulatedDevice, _ writer: inout SimulatedUser,
    _ predicate: (EntryPath) -> Bool = \.isMarkdown
  ) -> EntryPath? {
    device.disk.keys.filter { predicate($0) && $0 != device.editor?.path }.sorted()
      .randomElement(using: &writer.dice)
  }

  func write(
    _ step: SyncStep, _ device: SimulatedDevice, _ writer: inout SimulatedUser,
    as action: SyncStep.Action? = nil
  ) {
    switch action ?? step.action {
    case .edit:
      guard let path = randomFile(device, &writer), let old = device.disk[path] else { return }
      let new = writer.edited(old)
      log(step, "edits \(path): \(SyncRun.quoted(old)) → \(SyncRun.quoted(new))")
      put(device, path, new)
    case .create:
      let path = writer.dice.one(SyncRun.newNames)
      guard device.disk[path] == nil, device.editor?.path != path else { return }
      let text = writer.entry(path)
      log(step, "begins \(path): \(SyncRun.quoted(text))")
      put(device, path, text)
    case .rename:
      guard let path = randomFile(device, &writer), let old = device.disk[path] else { return }
      let new = writer.dice.one(SyncRun.newNames)
      guard device.disk[new] == nil, device.editor?.path != new else { return }
      log(step, "renames \(path) to \(new)")
      move(device, path, new, writer.dice.roll(3) == 0 ? writer.edited(old) : old)
    case .delete:
      guard let path = randomFile(device, &writer, { _ in true }) else { return }
      log(step, "deletes \(path)")
      put(device, path, nil)
    case .attach:
      guard let path = EntryPath(writer.dice.one(["photos/p.jpg", "photos/lake.jpg"])) else {
        return
      }
      log(step, "attaches \(path)")
      put(device, path, writer.picture())
    case .configure:
      log(step, "changes the settings")
      configure(device, &writer)
    case .moveFolder:
      let (from, to) = writer.dice.one([
        ("2026/11/", "2026/"), ("2026/", "old/"), ("old/", "2026/"),
      ])
      log(step, "moves \(from) to \(to)")
      for path in device.disk.keys.sorted() where path.text.hasPrefix(from) {
        guard let new = EntryPath(to + path.text.dropFirst(from.count)), device.disk[new] == nil,
          ![path, new].contains(device.editor?.path), let bytes = device.disk[path]
        else { continue }
        move(device, path, new, bytes)
      }
    default: break
    }
  }

  func configure(_ device: SimulatedDevice, _ writer: inout SimulatedUser) {
    guard let path = EntryPath(".diary/config.yml") else { return }
    put(device, path, writer.settings(device.disk[path] ?? []))
  }

  private static let newNames: [EntryPath] = [
    "2026/11/2026-11-21.md", "2026/11/2026-11-22.md", "ideas.md", "walk.md", "walk-home.md",
    "2026/11/2026-11-21-river.md", "old/ideas.md",
  ].compactMap { EntryPath($0) }

  /// Moves a file and then writes `bytes`; the move itself neither types nor deletes words.
  private func move(
    _ device: SimulatedDevice, _ old: EntryPath, _ new: EntryPath, _ bytes: [UInt8]
  ) {
    let before = device.disk[old]
    device.disk[old] = nil
    device.disk[new] = before
    put(device, new, bytes)
  }

  // MARK: Editor actions

  func edit(_ step: SyncStep, _ device: SimulatedDevice, _ writer: inout SimulatedUser) {
    switch step.action {
    case .open:
      guard device.editor == nil, let path = randomFile(device, &writer),
        let bytes = device.disk[path]
      else { return }
      let holds = writer.dice.roll(2) == 0
      log(step, "opens \(path)" + (holds ? ", and holds it" : ""))
      device.editor = SimulatedDevice.Buffer(path: path, bytes: bytes, seen: bytes, holds: holds)
    case .editBuffer:
      guard let buffer = device.editor else { return }
      let new = writer.edited(buffer.bytes)
      log(
        step,
        "edits the open \(buffer.path): \(SyncRun.quoted(buffer.bytes)) → \(SyncRun.quoted(new))")
      device.editor?.bytes = new
    case .saveBuffer:
      guard let buffer = device.editor, buffer.bytes != buffer.seen else { return }
      log(step, "saves the open \(buffer.path)")
      saveBuffer(device)
    case .close:
      guard let buffer = device.editor else { return }
      log(step, "closes \(buffer.path)")
      device.editor = nil
    default: break
    }
  }

  /// Adds a paragraph. A command refuses only files that an editor is known to hold. If another
  /// editor has the file open, its next save removes the addition, as on a device without sync.
  func add(_ step: SyncStep, _ device: SimulatedDevice, _ writer: inout SimulatedUser) {
    let open = device.editor.flatMap { $0.holds ? nil : $0.path }
    guard let path = open ?? randomFile(device, &writer), let old = device.disk[path] else {
      return
    }
    let new = old + Array("\n\(writer.line())\n".utf8)
    log(step, "adds to \(path): \(SyncRun.quoted(old)) → \(SyncRun.quoted(new))")
    save(device)
    let before = typed
    put(device, path, new)
    if open != nil { deleted.formUnion(typed.subtracting(before)) }
    for bytes in device.disk.values {
      device.writtenWords.formUnion(UniqueWords.counts(bytes).keys)
    }
    device.save(by: [path])
  }

  /// Saves the editor's buffer. The user deleted the words that were in the last save but not here.
  func saveBuffer(_ device: SimulatedDevice) {
    guard let buffer = device.editor else { return }
    recordEdit(from: buffer.seen, to: buffer.bytes)
    if device.disk[buffer.path] == buffer.seen { device.currentTexts.insert(buffer.bytes) }
    device.disk[buffer.path] = buffer.bytes
    device.editor?.seen = buffer.bytes
    save(device)
  }

  /// Saves, and records the words that the disk contained.
  func save(_ device: SimulatedDevice) {
    for bytes in device.disk.values {
      device.writtenWords.formUnion(UniqueWords.counts(bytes).keys)
    }
    device.save()
  }
}
