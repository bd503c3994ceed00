import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

/// The result of finishing an operation of git.
package struct ConflictResolution: Sendable {
  /// The operation that was in progress: `merge`, `rebase`, …; `nil` if there was none.
  package var operation: String?
  /// Files that git had left unmerged.
  package var resolved: [EntryPath] = []
  /// The files among them that contain two versions of a passage.
  package var keptBoth: [EntryPath] = []
}

extension Journal {
  /// Merges files that a manual `git pull`, `merge`, `rebase` or `cherry-pick` left unmerged, as a
  /// sync would, and continues that operation, again at each commit where a rebase stops.
  package func continueOperation() async throws -> ConflictResolution {
    var finished = ConflictResolution()
    let git = git
    for _ in 0..<10_000 {
      let before = finished
      let step = try await withJournalLock { try await self.resolveOnce(git, before) }
      finished = step.finished
      if !step.goesOn { break }
    }
    let kept = finished.keptBoth.compactMap(gitLocation.journalPath)
    try await withJournalLock { try await self.addReviews(kept) }
    return finished
  }

  /// Resolves one stop of git's operation. Returns whether more may follow.
  private func resolveOnce(
    _ git: GitCLI, _ before: ConflictResolution
  ) async throws -> (finished: ConflictResolution, goesOn: Bool) {
    var finished = before
    // Save the files as they are, with or without conflict markers, as separate versions.
    _ = try await saveChanges(try await collectAllChanges())
    let operation = try await repository.operationInProgress()
    let unmerged = try await repository.unmerged()
    guard operation != nil || !unmerged.isEmpty else { return (finished, false) }
    for item in unmerged { try await resolveFile(item, git, &finished) }
    // Without an operation to continue (`stash pop`, `merge --squash`) the files stay staged.
    guard let operation, operation != "conflict", operation != "squash" else {
      return (finished, false)
    }
    finished.operation = operation
    try await continueGit(operation, git)
    return (finished, true)
  }

  private func continueGit(_ operation: String, _ git: GitCLI) async throws {
    let arguments: [String]
    switch operation {
    case "merge": arguments = ["commit", "--no-edit"]
    case "rebase", "cherry-pick", "revert", "am": arguments = [operation, "--continue"]
    default:
      throw DiaryError(
        localized("Diary cannot finish this git operation: \(operation)"),
        hint: localized("`git status` shows how to finish it; nothing is lost"))
    }
    let result = try await git.run(arguments, with: ["GIT_EDITOR": "true"])
    let isOpen = try await !repository.unmerged().isEmpty
    guard result.status != 0, !isOpen else { return }
    let reason = RemoteError.reason(in: result.errors, fallback: localized("it gave no reason"))
    throw DiaryError(
      localized("git could not finish the \(operation): \(reason)"),
      hint: localized("`git status` shows what is left to do; nothing is lost"))
  }
}

extension Journal {
  /// The resolved content of an unmerged path.
  private struct Resolution {
    var path: EntryPath
    /// The content; `nil` to have no file.
    var bytes: [UInt8]?
    /// A second file, if both versions are kept as files.
    var conflictCopy: (path: EntryPath, bytes: [UInt8])?
    var keptBoth = false
  }

  private func resolveFile(
    _ item: UnmergedFile, _ git: GitCLI, _ finished: inout ConflictResolution
  ) async throws {
    guard [item.base, item.ours, item.theirs].allSatisfy({ $0?.kind.isFile ?? true }) else {
      throw DiaryError(
        localized("\(item.path.text) is a link or another repository, which Diary does not merge"),
        hint: localized("resolve it with git, then run `diary sync --continue`"))
    }
    let top = try JournalFolder(root: gitLocation.workTree)
    let present = try top.read(item.path)
    let sides = try await (
      base: content(item.base, item.path), ours: content(item.ours, item.path),
      theirs: content(item.theirs, item.path)
    )
    var resolution = Journal.resolution(
      of: item.path, sides.base, sides.ours, sides.theirs, later: conflictCopyPaths(item))
    if let present, !Journal.hasMarkers(present.bytes), try await !isSide(present.bytes, of: item) {
      // The user has resolved the conflict, but not told git.
      resolution = Resolution(path: item.path, bytes: present.bytes)
    }
    var touched = [item.path]
    if resolution.bytes != present?.bytes {
      try write(resolution.bytes, over: present?.bytes, at: item.path, in: top)
    }
    if let twin = resolution.conflictCopy {
      if try top.read(twin.path) == nil { try top.create(twin.path, twin.bytes) }
      touched.append(twin.path)
    }
    let arguments =
      resolution.bytes == nil
      ? ["rm", "--cached", "--quiet", "--ignore-unmatch", "--"] : ["add", "--force", "--"]
    let result = try await git.run(
      ["--literal-pathspecs"] + arguments + touched.map(\.text))
    guard result.status == 0 else {
      let reason = RemoteError.reason(in: result.errors, fallback: localized("it gave no reason"))
      throw DiaryError(
        localized("git could not add \(item.path.text): \(reason)"),
        hint: localized("nothing is lost; resolve it with git, then run `diary sync --continue`"))
    }
    finished.resolved.append(item.path)
    if resolution.keptBoth { finished.keptBoth.append(item.path) }
  }

  /// True if these bytes are one of the versions that are being merged.
  private func isSide(_ bytes: [UInt8], of item: UnmergedFile) async throws -> Bool {
    let id = try await repository.blobID(ofDisk: bytes, at: item.path)
    return [item.base, item.ours, item.theirs].contains { $0?.id == id }
  }

  private func content(_ file: TreeEntry?, _ path: EntryPath) async throws -> [UInt8]? {
    guard let file else { return nil }
    return try await repository.diskContent(of: file.id, at: path)
  }

  /// The paths for the version whose bytes sort later, as a sync would name it.
  private func conflictCopyPaths(_ item: UnmergedFile) -> (ours: EntryPath, theirs: EntryPath)? {
    guard let ours = item.ours, let theirs = item.theirs else { return nil }
    return (
      item.path.conflictCopyPath(contentID: ours.id.description),
      item.path.conflictCopyPath(contentID: theirs.id.description)
    )
  }

  /// The result of a sync for the three versions, computed without I/O.
  private static func resolution(
    of path: EntryPath, _ base: [UInt8]?, _ ours: [UInt8]?, _ theirs: [UInt8]?,
    later names: (ours: EntryPath, theirs: EntryPath)?
  ) -> Resolution {
    guard let ours, let theirs else {
      // An edit wins over a deletion. A file that both sides deleted stays deleted.
      return Resolution(path: path, bytes: ours ?? theirs)
    }
    let isText = [base, ours, theirs].allSatisfy { $0.map(EntryMerge.canMerge) ?? true }
    if path.isMarkdown, isText {
      let merge = EntryMerge(base: base, ours, theirs)
      return Resolution(path: path, bytes: merge.bytes, keptBoth: merge.hasConflict)
    }
    if ours == theirs { return Resolution(path: path, bytes: ours) }
    let oursIsLater = theirs.lexicographicallyPrecedes(ours)
    let (first, second) = oursIsLater ? (theirs, ours) : (ours, theirs)
    let name = oursIsLater ? names?.ours : names?.theirs
    return Resolution(
      path: path, bytes: first, conflictCopy: name.map { ($0, second) }, keptBoth: true)
  }

  private static func hasMarkers(_ bytes: [UInt8]) -> Bool {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    return lines.contains { $0.starts(with: "<<<<<<< ".utf8) }
      && lines.contains { $0.starts(with: ">>>>>>> ".utf8) }
  }

  private func write(
    _ bytes: [UInt8]?, over present: [UInt8]?, at path: EntryPath, in top: JournalFolder
  ) throws {
    guard let present else {
      if let bytes { try top.create(path, bytes) }
      return
    }
    guard let bytes else {
      try top.remove(path, expecting: present, displacedDirectory: stateFolder)?.discard()
      return
    }
    guard
      case .replaced(let aside) = try top.replace(
        path, expecting: present, with: bytes, displacedDirectory: stateFolder,
        allowPlainRename: true)
    else {
      throw DiaryError(
        localized("\(path.text) changed in the meantime"),
        hint: localized("run `diary sync --continue` again"))
    }
    aside?.discard()
  }
}
