import DiaryCore
import EntryFiles
import EntryFormats
import EntryIndex
import Foundation
import GitHistory
import Localization

/// What an import was asked to read, read: nothing is written yet.
package struct ImportReading {
  struct Part {
    let source: ImportSource
    let format: ImportFormat
    let batch: ImportedBatch
  }
  var parts: [Part] = []
}

/// What an import does one after the other.
package enum ImportStep: Sendable { case writing, saving }

extension Journal {
  /// The header keys that lead back to the source of an imported entry: the name that the source gives
  /// it for ever, and a digest of what the source said of it at the last import.
  static let sourceKey = "source"
  static let digestKey = "source_digest"
  /// The last line of a commit that takes an import back.
  static let undoneImportTrailer = "Diary-Undone: import"
  /// Begins the mark of a source whose import was taken back on this device.
  static let undoneMark = "undone:"

  /// Names of the items that were imported on this device, so that a second import adds nothing
  /// even when the entry has been edited, renamed or deleted since.
  private var importMarks: StateFile<[String]> {
    StateFile("imported.json", in: stateFolder, defaultValue: [])
  }

  /// The files that an import under way makes, percent-encoded: one that was killed leaves them, and
  /// the next import saves them with its own.
  private var unfinishedImport: StateFile<[String]> {
    StateFile("import.json", in: stateFolder, defaultValue: [])
  }

  /// Counts items as imported, or as taken back.
  func recordImport(_ marks: [String], areImported: Bool) throws {
    let undone = marks.map { Journal.undoneMark + $0 }
    try importMarks.update { all in
      let set = Set(all)
      all =
        (areImported
        ? set.subtracting(undone).union(marks) : set.subtracting(marks).union(undone)).sorted()
    }
  }

  /// Reads everything that the sources hold. A source that cannot be read, or only in part, is refused
  /// whole.
  ///
  /// - Parameter name: the format that they are in; `nil`: it is told from their content.
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
          // A broken item of an archive has no format, either.
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

  /// Imports what was read: one entry an item, one commit.
  ///
  /// - Parameters:
  ///   - isDryRun: tells what would be done, and writes nothing.
  ///   - progress: hears how many files are written, and then how many are saved.
  package func importEntries(
    _ reading: ImportReading, isDryRun: Bool = false,
    progress: @Sendable (_ step: ImportStep, _ done: Int, _ of: Int) -> Void
  ) async throws -> ImportOutcome {
    _ = try await updateIndex()
    let box = ImportBox(reading)
    return try await withJournalLock {
      try await self.performImport(box.reading, isDryRun, progress)
    }
  }

  private func performImport(
    _ reading: ImportReading, _ isDryRun: Bool, _ progress: @Sendable (ImportStep, Int, Int) -> Void
  ) async throws -> ImportOutcome {
    let before = Set(try importMarks.load())
    let presentEntries = try await PresentEntries(self, wanted: reading)
    var plan = ImportPlan(self, presentEntries, before)
    for part in reading.parts { try plan.add(part) }
    plan.outcome.days = plan.days
    if isDryRun {
      plan.countWithoutWriting()
      return plan.outcome
    }
    var act = OperationDraft(
      command: .import, subject: Journal.entryCount(plan.new.count + plan.changed.count),
      commitBefore: try await stateCommitID(),
      importDigests: plan.marks.subtracting(before).sorted())
    let updates = try await mergeChanged(plan.changed, &act, into: &plan.outcome)
    let leftovers = try unfinishedImport.load().compactMap { EntryPath(percentEncoded: $0) }
      .filter { folder.hasFile($0) }
    try unfinishedImport.write((leftovers + plan.newPaths).map(\.percentEncoded))
    let written = try write(plan.new, updates, progress, into: &plan.outcome)
    act.paths.formUnion(leftovers)
    let all = leftovers + written
    plan.outcome.save = try await saveCommandChanges(all, as: act) {
      progress(.saving, $0, all.count)
    }
    for file in updates.compactMap(\.displaced.file) { file.discard() }
    try importMarks.write(plan.marks.sorted())
    unfinishedImport.remove()
    plan.outcome.compare(plan.new, in: folder)
    return plan.outcome
  }

  /// Makes the files of new entries and of what belongs to them, and replaces those that have changed.
  /// Answers the paths, each entry before its own files.
  private func write(
    _ new: [PlannedEntry], _ updates: [PlannedUpdate], _ progress: (ImportStep, Int, Int) -> Void,
    into outcome: inout ImportOutcome
  ) throws -> [EntryPath] {
    let files = new.flatMap(\.files) + updates.flatMap(\.entry.files)
    let total = files.count + new.count + updates.count
    // Files come first: no entry ever shows a picture that is not there yet.
    var missing: [EntryPath: PlannedFile] = [:]
    for file in files where !folder.hasFile(file.path) { missing[file.path] = file }
    let present = files.count - missing.count
    try create(
      missing.values.sorted { $0.path < $1.path }.map { (path: $0.path, fill: $0.fill) }
    ) { progress(.writing, present + $0, total) }
    // Nor after a power cut: an entry that is here is not imported again, nor are its pictures.
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
      localized("\(existing.text) was made by another program in the meantime"),
      hint: localized("import again: what is here already is not imported twice"))
  }

  /// Entries that have changed in the source, merged with what stands here: the base is the version
  /// that the last import brought, the oldest one with its digest.
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
          "\(entry.path.text) has changed in the source, but \(program) has it open; import again later"
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

/// Carries what was read into the journal's exclusive work; only one task ever holds it.
private final class ImportBox: @unchecked Sendable {
  let reading: ImportReading
  init(_ reading: ImportReading) { self.reading = reading }
}

extension Journal {
  /// What `import --format` takes.
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
        "if you know it, name it by --format: \(ImportFormat.all.map(\.name).joined(separator: ", "))"
      ))
  }
}
