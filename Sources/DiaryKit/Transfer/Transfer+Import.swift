import DiaryCore
import EntryFiles
import EntryFormats
import EntryIndex
import Foundation
import GitHistory
import Localization

/// The content of the import's sources; nothing is written to the journal yet.
package struct ImportReading {
  struct Part {
    let source: ImportSource
    let format: ImportFormat
    let batch: ImportedBatch
  }
  var parts: [Part] = []
}

/// A step of an import.
package enum ImportStep: Sendable { case writing, saving }

extension Transfer {
  /// The header keys that identify the source of an imported entry: its permanent name in the
  /// source, and a digest of its content in the source at the last import.
  static let sourceKey = "source"
  static let digestKey = "source_digest"
  /// The last line of the message of a commit that undoes an import.
  static let undoneImportTrailer = "Diary-Undone: import"
  /// Reads the complete content of the sources. A source that cannot be read completely is rejected
  /// as a whole.
  ///
  /// - Parameter name: the format of the sources; `nil` detects it from their content.
  package func readImport(
    _ sources: [ImportSource], format name: String?
  ) throws -> ImportReading {
    var reading = ImportReading()
    for source in sources {
      let format: ImportFormat
      if let name {
        guard let named = ImportFormat.format(named: name) else {
          throw DiaryError.noFormat(named: name)
        }
        format = named
      } else {
        guard let found = ImportFormat.detect(in: source) else {
          // A damaged item of an archive has no format, either; reading it reports the damage.
          for name in source.names.prefix(20) { _ = try source.beginning(of: name) }
          guard source.names.contains(where: { source.size(of: $0) > 0 }) else {
            throw DiaryError(localized("cannot import \(source.displayPath): it is empty"))
          }
          if let unread = UnsupportedSource.detect(in: source) {
            throw DiaryError(
              localized(
                "cannot import \(source.displayPath): it seems to be \(unread.title), which Diary "
                  + "does not read"),
              hint: unread.way)
          }
          throw DiaryError.unknownFormat(of: source.displayPath)
        }
        format = found
      }
      do {
        let batch = try format.entries(of: source, ImportOptions(zone: journal.zone))
        reading.parts.append(ImportReading.Part(source: source, format: format, batch: batch))
      } catch let error as ImportError {
        let seems = name == nil ? nil : ImportFormat.detect(in: source)
        throw DiaryError(
          localized("cannot import \(source.displayPath): \(error.description)"),
          hint: seems.flatMap { $0.name == format.name ? nil : $0 }.map {
            localized("it seems to be \($0.title): --format \($0.name); nothing was imported")
          } ?? localized("nothing was imported; fix the file and try again"))
      }
    }
    return reading
  }

  /// Imports the content that was read: one entry per item, one commit. The journal is locked for
  /// each portion of the entries, and not while the import is planned.
  ///
  /// - Parameters:
  ///   - isDryRun: returns the outcome without writing anything.
  ///   - progress: receives the number of files written, and then the number of files saved.
  package func importEntries(
    _ reading: consuming ImportReading, isDryRun: Bool = false,
    progress: @Sendable (_ step: ImportStep, _ done: Int, _ of: Int) -> Void
  ) async throws -> ImportOutcome {
    if !isDryRun { try journal.makeStateFolder() }
    // Two imports of one source at the same time would make its entries twice.
    let lock = isDryRun ? nil : try await journal.waitForLock("import.lock")
    defer { withExtendedLifetime(lock) {} }
    if !isDryRun { try await saveMovedEntries() }
    _ = try await journal.catalog.updateIndex()
    let marks = try journal.state.imports.load()
    var plan = try await plan(consume reading, marks)
    if isDryRun {
      plan.countWithoutWriting()
      return plan.outcome
    }
    let run = ImportRun(consume plan)
    repeat {
      try await journal.locked { try await $0.importPortion(of: run, progress) }
    } while !run.portions.isEmpty
    return run.outcome
  }

  /// Makes the words with an `@` before them tags in this journal, unless its settings say which
  /// characters do so. Returns `nil` if they do.
  package func addAtTags() async throws -> SaveOutcome? {
    let settings = journal.settingsFiles
    guard
      settings.settingsSource.all.contains(where: {
        $0.key == "tags.marks" && $0.origin == .defaultValue
      })
    else { return nil }
    return try await settings.configure(
      "tags.marks", to: .text(Settings.TagMarks.both.rawValue))
  }

  /// Saves what changed if an imported entry is gone from its path, so that its mark follows a move.
  private func saveMovedEntries() async throws {
    let isMoved = try journal.state.imports.load().all.values.contains { mark in
      mark.absence == nil && mark.entryPath.map { !journal.folder.hasFile($0) } ?? false
    }
    guard isMoved else { return }
    try await journal.locked {
      _ = try await $0.saver.saveChanges(try await $0.saver.collectAllChanges())
    }
  }

  private func plan(
    _ reading: ImportReading, _ marks: ImportMarks
  ) async throws -> ImportPlan {
    var plan = ImportPlan(journal, try await ImportDuplicates(journal, wanted: reading), marks)
    for part in reading.parts { try plan.add(part) }
    plan.outcome.days = plan.days
    return plan
  }
}

extension LockedJournal {
  /// Writes and saves the next portion, and then its marks. The last portion ends the sitting.
  fileprivate func importPortion(
    of run: ImportRun, _ progress: (ImportStep, Int, Int) -> Void
  ) async throws {
    if !run.hasStarted { try await start(run) }
    let portion = run.portions.popLast() ?? []
    let updates = try await mergeChanged(portion.filter(\.isUpdate), run)
    let new = portion.filter { !$0.isUpdate }
    let written = try write(new, updates, run, progress)
    run.outcome.compare(new, in: journal.folder)
    let isLast = run.portions.isEmpty
    let paths = (isLast ? run.leftovers : []) + written
    let earlier = run.operation.paths
    run.operation.paths.formUnion(paths)
    let save = try await saver.saveCommandChanges(
      paths, committing: isLast ? earlier.sorted() : nil
    ) { progress(.saving, run.saved + $0, run.total) }
    run.saved += paths.count
    for update in updates { update.result.displaced?.discard() }
    run.add(save)
    try await recordMarks(of: new, updates.filter { !$0.result.isLeftOut }, run)
    guard isLast else { return }
    try await finish(run)
  }

  private func start(_ run: ImportRun) async throws {
    try journal.folder.requireInPlace(run.newPaths)
    run.hasStarted = true
    run.operation.commitBefore = try await journal.history.stateCommitID()
    run.leftovers = try journal.state.unfinishedImport.load().compactMap {
      EntryPath(percentEncoded: $0)
    }
    .filter { journal.folder.hasFile($0) }
    try journal.state.unfinishedImport.write(
      (run.leftovers + run.newPaths).map(\.percentEncoded))
  }

  private func finish(_ run: ImportRun) async throws {
    try await recordRecognized(run)
    run.operation.marks = run.markChanges
    try await recordOperation(run.operation, run.outcome.save)
    journal.state.unfinishedImport.remove()
  }

  /// Creates the files of new entries with their attachments, and replaces the changed entries.
  /// Returns the paths, each entry before its own files.
  private func write(
    _ new: [PlannedEntry], _ updates: [PlannedUpdate], _ run: ImportRun,
    _ progress: (ImportStep, Int, Int) -> Void
  ) throws -> [EntryPath] {
    let files = new.flatMap(\.files) + updates.flatMap(\.entry.files)
    // Create the attachments first: an entry never shows a picture that does not exist yet.
    var missing: [EntryPath: PlannedFile] = [:]
    for file in files where !journal.folder.hasFile(file.path) { missing[file.path] = file }
    let present = run.written + files.count - missing.count
    try create(
      missing.values.sorted { $0.path < $1.path }.map { (path: $0.path, fill: $0.fill) }
    ) { progress(.writing, present + $0, run.total) }
    // Flush them for the case of a power failure: existing entries are not imported again.
    try journal.folder.sync(Array(missing.keys))
    try create(
      new.map { entry in (path: entry.path, fill: { try entry.bytes.withUnsafeBytes($0) }) }
    ) { progress(.writing, run.written + files.count + $0, run.total) }
    for update in updates where update.mergedBytes != update.file.content?.bytes {
      do {
        update.result.displaced = try saver.replace(
          update.file, with: update.mergedBytes, syncsName: false)
        run.outcome.updated.append(update.entry.path)
      } catch let error as FileError where error.reason == .hardLinked {
        update.result.isLeftOut = true
        run.outcome.differences.append(
          localized(
            "\(update.entry.path.text) has changed in the source, but it has another name (a hard "
              + "link), which Diary must not break"))
      }
    }
    run.written += files.count + new.count + updates.count
    run.outcome.added += new.map(\.path)
    return (new + updates.map(\.entry)).flatMap { [$0.path] + $0.files.map(\.path) }
  }

  private func create(
    _ files: [(path: EntryPath, fill: JournalFolder.ContentWriter)], _ progress: (Int) -> Void
  ) throws {
    guard let existing = try journal.folder.create(files, progress: progress).min() else { return }
    throw DiaryError(
      localized("another program created \(existing.text) in the meantime"),
      hint: localized("import it again; what is already here is not imported twice"))
  }

  /// Merges entries that changed in the source with their current text. The base is the source's
  /// own text at the last import; without it, the merge removes nothing. The source's new text is
  /// kept as a version of the entry: it is the base of the next import.
  private func mergeChanged(
    _ changed: [PlannedEntry], _ run: ImportRun
  ) async throws -> [PlannedUpdate] {
    guard !changed.isEmpty else { return [] }
    try await extendOperation(&run.operation, with: changed.map(\.path))
    let marks = try journal.state.imports.load()
    var updates: [PlannedUpdate] = []
    var versions: [(EntryPath, [UInt8])] = []
    for entry in changed {
      if let refusal = run.operation.files.refusals[entry.path] {
        run.outcome.differences.append(
          localized(
            "\(entry.path.text) has changed in the source, but it \(refusal.reason); "
              + "import again later"))
      }
      guard let file = run.operation.files.settled[entry.path], let present = file.content?.bytes
      else { continue }
      let base = try await importBase(marks[entry.mark.id], at: entry.path)
      let merge = EntryMerge(
        base: base, withDigest(of: entry.bytes, in: present), entry.bytes)
      if merge.hasConflict { run.outcome.conflicts.append(entry.path) }
      if merge.bytes == present { run.outcome.alreadyImported += 1 }
      updates.append(PlannedUpdate(entry: entry, file: file, mergedBytes: merge.bytes))
      if merge.bytes != entry.bytes, try await journal.repository.isSaved(present, at: entry.path) {
        versions.append((entry.path, entry.bytes))
      }
    }
    try await saver.keepVersions(
      versions, message: "Keep the source's text of \(History.entryCount(versions.count))")
    return updates
  }
}

extension Transfer {
  /// The names that `import --format` accepts.
  package static let importFormats = ImportFormat.all.map(\.name)
}

extension DiaryError {
  static func noFormat(named name: String) -> DiaryError {
    DiaryError(
      localized("there is no format named \(name)"), kind: .usage,
      hint: localized("formats: \(ImportFormat.all.map(\.name).joined(separator: ", "))"))
  }

  static func unknownFormat(of name: String) -> DiaryError {
    DiaryError(
      localized("cannot import \(name): no known format"),
      hint: localized(
        "if you know the format, give it with --format: "
          + "\(ImportFormat.all.map(\.name).joined(separator: ", "))"
      ))
  }
}
