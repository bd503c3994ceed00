import DiaryCore
import EntryFiles
import GitHistory
import Localization

/// One path as the scan before a save found it. It is read once and passed on: the save, the index
/// update and the weather request all use this result.
struct SaveCandidate: Sendable {
  /// The content of the path on disk.
  enum Content: Sendable {
    case file(FileContents)
    case absent
    /// There is something that a save cannot take.
    case unsavable(PathState.Disk)
    /// The file is not saved and was not read.
    case unread
  }

  let path: EntryPath
  let kind: PathClassifier.Kind
  let content: Content
  /// The owner of the path. Git's ignore rules are not checked if git has just reported the path or
  /// a command has written it.
  let place: PathState.Place
  /// True if a sync has a newer version and the disk still has the previous one, or no file.
  let isWaitingCheckout: Bool

  /// The git attribute that only git can apply to it (`filter=lfs`).
  var attribute: String? { if case .leftToGit(let attribute) = place { attribute } else { nil } }

  /// The file, if it was read.
  var file: FileContents? { if case .file(let file) = content { file } else { nil } }
}

/// The result of the scan before a save, with the state records that it used, each read once.
struct SaveScan: Sendable {
  var candidates: [EntryPath: SaveCandidate] = [:]
  /// Pictures that an entry embeds and that are not in the journal.
  var missingPictures: [SkippedFile] = []
  /// Entries that `diary new` created, with the text that it wrote.
  let blanks: [String: String]
  /// The waiting checkouts of syncs.
  let checkouts: [CheckoutRecord]
  /// Changes that are saved and not yet on the branch.
  let pending: [PendingPath]
}

extension FolderChanges {
  /// Reads each of the paths that Diary saves, once. In an adopted folder, an attachment is one of
  /// them if an entry refers to it.
  ///
  /// - Parameter pending: the pending paths, if the caller has them.
  func scan(
    _ paths: [EntryPath], notIgnored: Set<EntryPath> = [], pending: [PendingPath]? = nil
  ) async throws -> SaveScan {
    let known = if let pending { pending } else { try await journal.repository.pending() }
    var scan = SaveScan(
      blanks: blankEntries, checkouts: try journal.state.checkouts.load(), pending: known)
    let classifier = PathClassifier(journal)
    var savable: Set<EntryPath> = []
    var attachments: [EntryPath] = []
    for path in paths {
      switch classifier.kind(of: path) {
      case .attachment where journal.savedFiles == .entries: attachments.append(path)
      case .entry, .settings, .attachment, .file: savable.insert(path)
      case .never: break
      }
    }
    try await readCandidates(at: savable, notIgnored, classifier, into: &scan)
    guard journal.savedFiles == .entries else { return scan }

    let media = LinkedFileLookup(journal)
    let entries = scan.candidates.values.filter { $0.kind == .entry }.sorted { $0.path < $1.path }
    var referenced: Set<EntryPath> = []
    for files in concurrentMap(entries, { referencedFiles(in: $0.file, of: $0.path, media) }) {
      referenced.formUnion(files.found)
      scan.missingPictures += files.notFound
    }
    for path in attachments where !referenced.contains(path) && isReferenced(path, among: media) {
      referenced.insert(path)
    }
    try await readCandidates(
      at: referenced.subtracting(savable), notIgnored, classifier, into: &scan)
    return scan
  }

  private func readCandidates(
    at paths: Set<EntryPath>, _ notIgnored: Set<EntryPath>, _ classifier: PathClassifier,
    into scan: inout SaveScan
  ) async throws {
    let paths = paths.sorted()
    let blanks = scan.blanks
    let filters = try await journal.repository.unusualAttributes(paths)
    let ignored = try await journal.repository.ignoredPaths(
      among: paths.filter { !notIgnored.contains($0) && blanks[$0.text] == nil })
    // Files in another repository are not the diary's; git would refuse the whole save for one. Those
    // in an encrypted folder would be readable in the history.
    let foreign = try await journal.repository.pathsInForeignFolders(paths)
    let unmerged = try await journal.repository.unmergedPaths()
    let waiting = journal.checkouts.waitingCheckouts(among: scan.checkouts)
    let places = paths.map { path in
      PathState.Place(
        isForeign: foreign.contains(path), attribute: filters[path],
        isIgnored: ignored.contains(path), isUnmerged: unmerged.contains(path))
    }
    let contents = concurrentMap(Array(zip(paths, places))) { path, place in
      let isSaved =
        switch place {
        case .journal, .unmerged: true
        case .notSaved, .ignored, .foreignFolder, .leftToGit: false
        }
      // The index needs the text of an unsaved entry, and the files that it embeds may be saved.
      let isRead = isSaved || classifier.kind(of: path) == .entry || waiting[path] != nil
      return isRead ? content(at: path) : .unread
    }
    for (index, path) in paths.enumerated() {
      let content = contents[index]
      scan.candidates[path] = SaveCandidate(
        path: path, kind: classifier.kind(of: path), content: content, place: places[index],
        isWaitingCheckout: try await isUnchanged(content, since: waiting[path], at: path))
    }
  }

  func content(at path: EntryPath) -> SaveCandidate.Content {
    if let stamp = (try? journal.folder.signature(of: path)) ?? nil, stamp.size > maxSavedFileSize {
      return .unsavable(.tooLarge)
    }
    do throws(FileError) {
      return try journal.folder.read(path).map { .file($0) } ?? .absent
    } catch {
      // A folder at this path: the files in it decide if the file was replaced.
      if error.reason == .notRegular, journal.folder.hasFolder(path) { return .absent }
      if case .system = error.reason { return .unsavable(.unreadable(error.reason)) }
      return .unsavable(.notAFile(error.reason))
    }
  }

  /// True if a file with a waiting checkout still has its known content, or does not exist.
  private func isUnchanged(
    _ content: SaveCandidate.Content, since checkout: CheckoutRecord?, at path: EntryPath
  ) async throws -> Bool {
    guard let checkout else { return false }
    guard case .file(let file) = content else { return true }
    return try await journal.repository.blobID(of: file.bytes, at: path) == checkout.diskBlob
  }
}
