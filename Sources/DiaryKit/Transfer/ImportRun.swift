import DiaryCore
import EntryFiles
import GitHistory

/// The state of a running import. Only one task uses it at a time, under the journal's lock.
final class ImportRun: @unchecked Sendable {
  /// The entries that are not written yet, the next portion last.
  var portions: [[PlannedEntry]]
  /// The entries that the journal had already.
  let recognized: [RecognizedItem]
  /// The paths of the files that the import creates.
  let newPaths: [EntryPath]
  /// The number of files and entries.
  let total: Int
  var hasStarted = false
  /// The files that a killed import has created.
  var leftovers: [EntryPath] = []
  var outcome: ImportOutcome
  var operation: OperationDraft
  var markChanges: [ImportMarkChange] = []
  /// The numbers of written and of saved files.
  var written = 0
  var saved = 0

  init(_ plan: consuming ImportPlan) {
    let entries = plan.changed + plan.new
    outcome = plan.outcome
    recognized = plan.recognized
    newPaths = plan.newPaths
    total = entries.reduce(0) { $0 + 1 + $1.files.count }
    operation = OperationDraft(command: .import, subject: History.entryCount(entries.count))
    portions = Self.portions(of: entries)
  }

  /// The entries in portions of about 8 MB with their files, the first portion last. The texts of
  /// a portion are released when it is saved.
  private static func portions(of entries: [PlannedEntry]) -> [[PlannedEntry]] {
    var portions: [[PlannedEntry]] = []
    var size = 0
    for entry in entries {
      let added = entry.files.reduce(entry.bytes.count) { $0 + $1.size }
      if portions.isEmpty || size + added > 8 << 20 {
        portions.append([])
        size = 0
      }
      portions[portions.count - 1].append(entry)
      size += added
    }
    return portions.reversed()
  }

  /// Adds the save of a portion. Only the last one ends the sitting.
  func add(_ save: SaveOutcome) {
    var all = save
    all.add(outcome.save)
    outcome.save = all
  }
}

extension LockedJournal {
  /// The source's own text at the last import of an item; `nil` if the repository does not have it,
  /// as after `leave`.
  func importBase(_ mark: ImportMark?, at path: EntryPath) async throws -> [UInt8]? {
    guard let blob = mark?.blobID, try await journal.repository.contains(blob) else { return nil }
    return try await journal.repository.content(of: blob, as: path)
  }

  /// Records the entries of a saved portion as imported. An editor may have written an entry since:
  /// its text then is not the source's, and no base.
  func recordMarks(
    of new: [PlannedEntry], _ updates: [PlannedUpdate], _ run: ImportRun
  ) async throws {
    let entries = new + updates.map(\.entry)
    guard !entries.isEmpty else { return }
    let saved = try await journal.repository.savedBlobs(at: entries.map(\.path))
    let blobs = try await journal.repository.blobIDs(of: entries.map { ($0.path, $0.bytes) })
    var marks: [ImportMark] = []
    for (entry, blob) in zip(entries, blobs) {
      var mark = entry.mark
      let isMerged = entry.isUpdate && saved[entry.path] != nil
      if isMerged || saved[entry.path] == blob { mark.blob = blob.description }
      if !entry.isUpdate || isMerged { marks.append(mark) }
    }
    try update(journal.state.imports) { all in
      for mark in marks {
        run.markChanges.append(ImportMarkChange(before: all[mark.id], after: mark))
        all[mark.id] = mark
      }
    }
  }

  /// Records what the import has learned about entries that the journal had already. Those that a
  /// killed import has created belong to this one.
  func recordRecognized(_ run: ImportRun) async throws {
    let leftovers = Set(run.leftovers.map(\.percentEncoded))
    guard !run.recognized.isEmpty || !leftovers.isEmpty else { return }
    let texts = run.recognized.compactMap { item in item.text.map { (item.mark.id, $0) } }
    let blobs = try await journal.repository.blobIDs(of: texts.map { ($1.path, $1.bytes) })
    let existing = try await journal.repository.existingObjects(among: Set(blobs))
    var bases: [String: (digest: String, blob: ObjectID)] = [:]
    for ((id, text), blob) in zip(texts, blobs) where existing.contains(blob) {
      bases[id] = (text.digest, blob)
    }
    try update(journal.state.imports) { marks in
      // A mark that has changed since the plan is right.
      for item in run.recognized where marks[item.mark.id] == item.known {
        var mark = item.mark
        if let base = bases[mark.id] {
          (mark.digest, mark.blob) = (base.digest, base.blob.description)
        }
        marks[mark.id] = mark
      }
      let completed = marks.all.filter { $1.path.map(leftovers.contains) ?? false }
      run.markChanges.removeAll { completed[$0.after?.id ?? ""] != nil }
      run.markChanges += completed.values.map { ImportMarkChange(before: nil, after: $0) }
    }
  }
}

/// Returns the text with the digest that the source's new text has. The digest needs no merge: two
/// of them would be a conflict.
func withDigest(of new: [UInt8], in present: [UInt8]) -> [UInt8] {
  var text = EntryText(present)
  guard let digest = EntryText(new).string(Transfer.digestKey),
    text.string(Transfer.digestKey) != nil,
    (try? text.set(Transfer.digestKey, .text(digest))) != nil
  else { return present }
  return text.bytes
}

extension PlannedFile {
  /// The number of bytes.
  var size: Int { data?.count ?? source.size(of: name) }
}
