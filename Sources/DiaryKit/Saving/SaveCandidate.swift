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
    /// The reason is the remainder of a sentence that begins with the path. A `failure` is one of
    /// the system: the file may have text to save.
    case unreadable(reason: String, failure: Bool)
    /// The file is not saved and was not read.
    case unread
  }

  let path: EntryPath
  let kind: SavePolicy.Kind
  let content: Content
  /// True if git ignores it. Not checked if git has just reported it or a command has written it.
  let isIgnored: Bool
  /// True if it is in another repository or a submodule.
  let isInOtherRepository: Bool
  /// True if a sync has a newer version and the disk still has the previous one, or no file.
  let isPendingCheckout: Bool
  /// The filter or encoding that only git can apply to it (`filter=lfs`).
  let filter: String?

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
  /// The pending checkouts of syncs.
  let checkouts: [PendingCheckout]
  /// Changes that are saved and not yet on the branch.
  let pending: [PendingPath]
}

extension Journal {
  /// Reads each of the paths that Diary saves, once. In an adopted folder, an attachment is one of
  /// them if an entry refers to it. A scan whose result is saved is made under the journal's lock.
  ///
  /// - Parameter pending: the pending paths, if the caller has them.
  func scan(
    _ paths: [EntryPath], notIgnored: Set<EntryPath> = [], pending: [PendingPath]? = nil
  ) async throws -> SaveScan {
    let known = if let pending { pending } else { try await repository.pending() }
    var scan = SaveScan(
      blanks: blankEntries, checkouts: try checkoutRecords.load(), pending: known)
    let policy = SavePolicy(self)
    var savable: Set<EntryPath> = []
    var attachments: [EntryPath] = []
    for path in paths {
      switch policy.kind(of: path) {
      case .attachment where savedFiles == .entries: attachments.append(path)
      case .entry, .settings, .attachment, .file: savable.insert(path)
      case .never: break
      }
    }
    try await readCandidates(at: savable, notIgnored, policy, into: &scan)
    guard savedFiles == .entries else { return scan }

    let media = MediaFiles(self)
    let entries = scan.candidates.values.filter { $0.kind == .entry }.sorted { $0.path < $1.path }
    var referenced: Set<EntryPath> = []
    for files in concurrentMap(entries, { self.referencedFiles(in: $0.file, of: $0.path, media) }) {
      referenced.formUnion(files.found)
      scan.missingPictures += files.notFound
    }
    for path in attachments where !referenced.contains(path) && isReferenced(path, among: media) {
      referenced.insert(path)
    }
    try await readCandidates(at: referenced.subtracting(savable), notIgnored, policy, into: &scan)
    return scan
  }

  private func readCandidates(
    at paths: Set<EntryPath>, _ notIgnored: Set<EntryPath>, _ policy: SavePolicy,
    into scan: inout SaveScan
  ) async throws {
    let paths = paths.sorted()
    let blanks = scan.blanks
    let filters = try await repository.unusualAttributes(paths)
    let ignored = try await repository.ignoredPaths(
      among: paths.filter { !notIgnored.contains($0) && blanks[$0.text] == nil })
    // Files in another repository are not the diary's; git would refuse the whole save for one.
    let foreign = try await repository.pathsInOtherRepositories(paths)
    let pending = pendingCheckouts(among: scan.checkouts)
    let contents = concurrentMap(paths) { path in
      // The index needs the text of an unsaved entry, and the files that it embeds may be saved.
      let isSaved = !ignored.contains(path) && !foreign.contains(path) && filters[path] == nil
      let isRead = isSaved || policy.kind(of: path) == .entry || pending[path] != nil
      return isRead ? self.content(at: path) : .unread
    }
    for (path, content) in zip(paths, contents) {
      let checkout = pending[path]
      scan.candidates[path] = SaveCandidate(
        path: path, kind: policy.kind(of: path), content: content,
        isIgnored: ignored.contains(path), isInOtherRepository: foreign.contains(path),
        isPendingCheckout: try await isUnchanged(content, since: checkout, at: path),
        filter: filters[path])
    }
  }

  private func content(at path: EntryPath) -> SaveCandidate.Content {
    if let stamp = (try? folder.signature(of: path)) ?? nil, stamp.size > maxSavedFileSize {
      return .unreadable(reason: localized("is larger than 50 MB"), failure: false)
    }
    do throws(FileError) {
      return try folder.read(path).map { .file($0) } ?? .absent
    } catch {
      // A folder at this path: the files in it decide if the file was replaced.
      if error.reason == .notRegular, folder.hasFolder(path) { return .absent }
      let isFailure = if case .system = error.reason { true } else { false }
      return .unreadable(reason: localized("cannot be read: \(error.reason)"), failure: isFailure)
    }
  }

  /// True if a file with a pending checkout still has its known content, or does not exist.
  @inline(never)
  private func isUnchanged(
    _ content: SaveCandidate.Content, since checkout: PendingCheckout?, at path: EntryPath
  ) async throws -> Bool {
    guard let checkout else { return false }
    guard case .file(let file) = content else { return true }
    return try await repository.blobID(of: file.bytes, at: path) == checkout.diskBlob
  }
}
