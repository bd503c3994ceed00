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

extension Journal {
  /// The header keys that identify the source of an imported entry: its permanent name in the
  /// source, and a digest of its content in the source at the last import.
  static let sourceKey = "source"
  static let digestKey = "source_digest"
  /// The last line of the message of a commit that undoes an import.
  static let undoneImportTrailer = "Diary-Undone: import"
  /// The prefix of the mark for a source whose import was undone on this device.
  static let undoneMark = "undone:"

  /// Names of the items that were imported on this device. A second import adds nothing, even if
  /// the entry has been edited, renamed or deleted since.
  private var importMarks: StateFile<[String]> {
    StateFile("imported.json", in: stateFolder, defaultValue: [])
  }

  /// The files that a running import creates, percent-encoded. If it is killed, the next import
  /// saves them together with its own files.
  private var unfinishedImport: StateFile<[String]> {
    StateFile("import.json", in: stateFolder, defaultValue: [])
  }

  /// Records items as imported or as undone.
  func recordImport(_ marks: [String], areImported: Bool) throws {
    let undone = marks.map { Journal.undoneMark + $0 }
    try importMarks.update { all in
      let set = Set(all)
      all =
        (areImported
        ? set.subtracting(undone).union(marks) : set.subtracting(marks).union(undone)).sorted()
    }
  }

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
          throw DiaryError.unknownFormat(of: source.displayPath)
        }
        format = found
      }
      do {
        let batch = try format.entries(of: source, ImportOptions(zone: zone))
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

  /// Imports the content that was read: one entry per item, one commit.
  ///
  /// - Parameters:
  ///   - isDryRun: returns the outcome without writing anything.
  ///   - progress: receives the number of files written, and then the number of files saved.
  package func importEntries(
    _ reading: consuming ImportReading, isDryRun: Bool = false,
    progress: @Sendable (_ step: ImportStep, _ done: Int, _ of: Int) -> Void
  ) async throws -> ImportOutcome {
    _ = try await updateIndex()
    let box = ImportBox(reading)
    return try await withJournalLock {
      try await self.performImport(box.take(), isDryRun, progress)
    }
  }

  private func performImport(
    _ reading: consuming ImportReading, _ isDryRun: Bool,
    _ progress: @Sendable (ImportStep, Int, Int) -> Void
  ) async throws -> ImportOutcome {
    let before = Set(try importMarks.load())
    var plan = try await plan(consume reading, before)
    if isDryRun {
      plan.countWithoutWriting()
      return plan.outcome
    }
    var written = try await write(consume plan, since: before, progress)
    // The texts of the import are not in memory any more.
    written.outcome.save = try await saveCommandChanges(written.paths, as: written.operation) {
      [count = written.paths.count] in progress(.saving, $0, count)
    }
    for file in written.displaced { file.discard() }
    try importMarks.write(written.marks.sorted())
    unfinishedImport.remove()
    return written.outcome
  }

  private func plan(
    _ reading: ImportReading, _ marks: Set<String>
  ) async throws -> ImportPlan {
    var plan = ImportPlan(self, try await PresentEntries(self, wanted: reading), marks)
    for part in reading.parts { try plan.add(part) }
    plan.outcome.days = plan.days
    return plan
  }

  /// The files that an import wrote, before they are saved.
  private struct WrittenImport {
    var paths: [EntryPath]
    var operation: OperationDraft
    var displaced: [DisplacedFile]
    var marks: Set<String>
    var outcome: ImportOutcome
  }

  private func write(
    _ plan: consuming ImportPlan, since before: Set<String>,
    _ progress: (ImportStep, Int, Int) -> Void
  ) async throws -> WrittenImport {
    var operation = OperationDraft(
      command: .import, subject: Journal.entryCount(plan.new.count + plan.changed.count),
      commitBefore: try await stateCommitID(),
      importDigests: plan.marks.subtracting(before).sorted())
    let updates = try await mergeChanged(plan.changed, &operation, into: &plan.outcome)
    let leftovers = try unfinishedImport.load().compactMap { EntryPath(percentEncoded: $0) }
      .filter { folder.hasFile($0) }
    try unfinishedImport.write((leftovers + plan.newPaths).map(\.percentEncoded))
    let written = try write(plan.new, updates, progress, into: &plan.outcome)
    operation.paths.formUnion(leftovers)
    plan.outcome.compare(plan.new, in: folder)
    return WrittenImport(
      paths: leftovers + written, operation: operation,
      displaced: updates.compactMap(\.displaced.file), marks: plan.marks, outcome: plan.outcome)
  }

  /// Creates the files of new entries with their attachments, and replaces the changed entries.
  /// Returns the paths, each entry before its own files.
  private func write(
    _ new: [PlannedEntry], _ updates: [PlannedUpdate], _ progress: (ImportStep, Int, Int) -> Void,
    into outcome: inout ImportOutcome
  ) throws -> [EntryPath] {
    let files = new.flatMap(\.files) + updates.flatMap(\.entry.files)
    let total = files.count + new.count + updates.count
    // Create the attachments first: an entry never shows a picture that does not exist yet.
    var missing: [EntryPath: PlannedFile] = [:]
    for file in files where !folder.hasFile(file.path) { missing[file.path] = file }
    let present = files.count - missing.count
    try create(
      missing.values.sorted { $0.path < $1.path }.map { (path: $0.path, fill: $0.fill) }
    ) { progress(.writing, present + $0, total) }
    // Flush them for the case of a power failure: existing entries are not imported again.
    try folder.sync(Array(missing.keys))
    try create(
      new.map { entry in (path: entry.path, fill: { try entry.bytes.withUnsafeBytes($0) }) }
    ) { progress(.writing, files.count + $0, total) }
    for update in updates {
      update.displaced.file = try replaceContent(
        with: update.mergedBytes, expecting: update.currentBytes, at: update.entry.path,
        syncsName: false)
    }
    outcome.added = new.map(\.path)
    outcome.updated = updates.map(\.entry.path)
    return (new + updates.map(\.entry)).flatMap { [$0.path] + $0.files.map(\.path) }
  }

  private func create(
    _ files: [(path: EntryPath, fill: JournalFolder.ContentWriter)], _ progress: (Int) -> Void
  ) throws {
    guard let existing = try folder.create(files, progress: progress).min() else { return }
    throw DiaryError(
      localized("another program created \(existing.text) in the meantime"),
      hint: localized("import it again; what is already here is not imported twice"))
  }

  /// Merges entries that changed in the source with their current text. The base is the version
  /// from the last import: the oldest one with its digest.
  private func mergeChanged(
    _ changed: [PlannedEntry], _ act: inout OperationDraft, into outcome: inout ImportOutcome
  ) async throws -> [PlannedUpdate] {
    var updates: [PlannedUpdate] = []
    var free: [PlannedEntry] = []
    for entry in changed {
      guard let program = holder(of: entry.path) else {
        free.append(entry)
        continue
      }
      outcome.differences.append(
        localized(
          "\(entry.path.text) has changed in the source, but it is open in \(program); "
            + "import again later"
        ))
    }
    try await extendOperation(&act, with: free.map(\.path))
    for entry in free {
      guard let present = try folder.read(entry.path)?.bytes else { continue }
      let digest = EntryText(present).string(Journal.digestKey)
      var base: [UInt8]?
      for version in try await repository.versions(of: entry.path).versions.reversed() {
        guard let blob = version.blob else { continue }
        let bytes = try await repository.content(of: blob, as: version.path)
        let isLast =
          entry.baseDigest.map { contentDigest(bytes).hasPrefix($0) }
          ?? (EntryText(bytes).string(Journal.digestKey) == digest)
        if isLast {
          base = bytes
          break
        }
      }
      let merge = EntryMerge(base: base, present, entry.bytes)
      if merge.hasConflict { outcome.conflicts.append(entry.path) }
      guard merge.bytes != present else { continue }
      updates.append(PlannedUpdate(entry: entry, currentBytes: present, mergedBytes: merge.bytes))
    }
    return updates
  }
}

/// Carries the reading into the journal's exclusive task. Only one task ever has it.
private final class ImportBox: @unchecked Sendable {
  private var reading: ImportReading

  init(_ reading: consuming ImportReading) { self.reading = reading }

  /// Returns the reading and does not keep it, because it holds all texts.
  func take() -> ImportReading {
    defer { reading = ImportReading() }
    return reading
  }
}

extension Journal {
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
