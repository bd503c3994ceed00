import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// Files that moved: absent at the old path and present, byte for byte, at a new path in the same
/// scan. No text is lost, so the deletions need no confirmation.
struct MovedFiles: Sendable {
  /// The new path of each old one.
  private(set) var paths: [EntryPath: EntryPath] = [:]

  struct File {
    var path: EntryPath
    var content: ObjectID
    /// True if the content identifies a file. Entries without text are all alike.
    var isDistinctive = true
  }

  /// Files with the same content are matched by name. If more were removed than added, and the
  /// names do not decide, none of them has moved.
  init(removed: [File], added: [File]) {
    var remaining = Dictionary(grouping: removed.sorted { $0.path < $1.path }, by: \.content)
    var unmatched: [ObjectID: [File]] = [:]
    for file in added.sorted(by: { $0.path < $1.path }) where file.isDistinctive {
      let same = remaining[file.content] ?? []
      if let index = same.firstIndex(where: { $0.path.nameBytes == file.path.nameBytes }) {
        paths[same[index].path] = file.path
        remaining[file.content]?.remove(at: index)
      } else {
        unmatched[file.content, default: []].append(file)
      }
    }
    for (content, files) in unmatched {
      guard let old = remaining[content], old.count <= files.count else { continue }
      for (one, other) in zip(old, files) { paths[one.path] = other.path }
      remaining[content] = nil
    }
    // A file without text has moved if its folder moved.
    let folders = Set(paths.map { Folders(old: $0.folder, new: $1.folder) })
    for file in added where !file.isDistinctive {
      let old = remaining[file.content]?.first { old in
        old.path.nameBytes == file.path.nameBytes && paths[old.path] == nil
          && folders.contains(Folders(old: old.path.folder, new: file.path.folder))
      }
      if let old { paths[old.path] = file.path }
    }
  }

  private struct Folders: Hashable {
    var old: EntryPath?
    var new: EntryPath?
  }
}

extension FolderChanges {
  /// The saved files that moved to a path of `changes`: the given ones, and other absent files.
  func movedFiles(of absent: Set<EntryPath>, among changes: [FileChange]) async throws -> MovedFiles
  {
    let saved = try await journal.repository.savedBlobs(at: changes.map(\.path))
    let added = changes.filter { saved[$0.path] == nil }
    guard !added.isEmpty else { return MovedFiles(removed: [], added: []) }
    var new: [MovedFiles.File] = []
    for case .write(let path, let bytes, _) in added {
      let content = try await journal.repository.blobID(of: bytes, at: path)
      new.append(
        MovedFiles.File(path: path, content: content, isDistinctive: isDistinctive(bytes, path)))
    }
    // Most new files have content that was never saved.
    let contents = try await journal.repository.existingObjects(among: Set(new.map(\.content)))
    new.removeAll { !contents.contains($0.content) }
    guard !new.isEmpty else { return MovedFiles(removed: [], added: []) }
    let rules = PathClassifier(journal)
    let old = try await journal.repository.savedFiles(withContents: contents).filter { path, _ in
      absent.contains(path) || (rules.kind(of: path) != .never && isAbsent(path))
    }
    return MovedFiles(
      removed: old.map { MovedFiles.File(path: $0.key, content: $0.value) }, added: new)
  }

  /// The files that moved and over which an editor then wrote an old buffer, in one scan: a new
  /// file that is based on a text that the record of one absent file names. The path to which a sync
  /// has moved that file counts as new as long as its checkout waits.
  func movedOldBuffers(_ found: UnsavedChanges) async throws -> [EntryPath: EntryPath] {
    let written = Set(found.changes.filter { !$0.isDeletion }.map(\.path))
    let waiting = journal.checkouts.waitingCheckouts(among: found.scan.checkouts)
    var targets: [EntryPath: EntryPath] = [:]
    let absent = found.scan.checkouts.filter { checkout in
      guard let path = checkout.path.flatMap(journal.gitLocation.journalPath), path.isMarkdown,
        !checkout.isGone, found.moved[path] == nil, isAbsent(path)
      else { return false }
      targets[path] = checkout.target.flatMap(journal.gitLocation.journalPath).flatMap {
        waiting[$0] == nil ? nil : $0
      }
      if case .absent? = found.scan.candidates[path]?.content { return true }
      return targets[path].map(written.contains) ?? false
    }
    if absent.isEmpty { return [:] }
    let texts = await seenTexts(of: absent)
    let saved = try await Set(journal.repository.savedBlobs(at: found.changes.map(\.path)).keys)
    let taken = Set(found.moved.values)
    var moves: [EntryPath: [EntryPath]] = [:]
    for case .write(let path, let bytes, _) in found.changes
    where !taken.contains(path) && path.isMarkdown {
      let origins = texts.filter { old, seen in
        (!saved.contains(path) || targets[old] == path) && seen.contains { isBased(bytes, on: $0) }
      }
      if origins.count == 1, let old = origins.first?.key { moves[old, default: []].append(path) }
    }
    return moves.filter { $0.value.count == 1 }.mapValues { $0[0] }
  }

  /// The texts of these files that an editor may show.
  private func seenTexts(of checkouts: [CheckoutRecord]) async -> [EntryPath: [[UInt8]]] {
    var texts: [EntryPath: [[UInt8]]] = [:]
    for checkout in checkouts {
      guard let path = checkout.path.flatMap(journal.gitLocation.journalPath) else { continue }
      for blob in checkout.seenBlobs {
        if let text = await journal.checkouts.version(blob, path) {
          texts[path, default: []].append(text)
        }
      }
    }
    return texts
  }

  /// True if the folder shows that there is no such file; false if it cannot be checked.
  private func isAbsent(_ path: EntryPath) -> Bool {
    if case .success(nil) = Result(catching: { () throws(FileError) in
      try journal.folder.signature(of: path)
    }) {
      return true
    }
    return false
  }

  private func isDistinctive(_ bytes: [UInt8], _ path: EntryPath) -> Bool {
    guard path.isMarkdown else { return !bytes.isEmpty }
    // Not `body`: a string would be another copy of the whole text.
    var body = EntryText(bytes).bodyBytes.makeIterator()
    var decoder = UTF8()
    while true {
      switch decoder.decode(&body) {
      case .scalarValue(let scalar) where scalar.properties.isWhitespace: continue
      case .emptyInput: return false
      case .scalarValue, .error: return true
      }
    }
  }
}
