import DiaryCore
import EntryFiles
import GitHistory
import Localization

/// One path as the scan before a save found it. It is made once and handed on: what is saved, what the
/// index learns and whether the weather is asked for all follow from this one look.
struct SaveCandidate: Sendable {
  /// What the disk showed at the path.
  enum Content: Sendable {
    case file(FileContents)
    case absent
    /// The reason is the rest of a sentence that begins with the path.
    case unreadable(reason: String)
    /// It is not saved, so nobody has read it.
    case unread
  }

  let path: EntryPath
  let kind: SavePolicy.Kind
  let content: Content
  /// git ignores it. Not asked of what git has just named, nor of what a command has written.
  let isIgnored: Bool
  /// It lies in another repository or a submodule.
  let isInOtherRepository: Bool
  /// A sync brings a newer version of it, and the disk still shows the one before, or no file.
  let isPendingCheckout: Bool
  /// The filter or encoding that only git applies to it (`filter=lfs`).
  let filter: String?

  /// The file, if it was read.
  var file: FileContents? { if case .file(let file) = content { file } else { nil } }

  /// How the file looked when it was read.
  var signature: FileSignature? { file?.signature }
}

/// What the scan before a save found, with the records that it went by: each is read once a save.
struct SaveScan: Sendable {
  var candidates: [EntryPath: SaveCandidate] = [:]
  /// Pictures that an entry shows and that are nowhere in the journal.
  var missingPictures: [SkippedFile] = []
  /// Entries that `diary new` has made, with the text that it wrote.
  let blanks: [String: String]
  /// What syncs have brought to these files.
  let checkouts: [PendingCheckout]
  /// What was saved before and is not on the branch yet.
  let pending: [PendingPath]
}

extension Journal {
  /// Looks once at each of the paths that Diary saves. In an adopted folder an attachment is one of
  /// them when an entry refers to it. What is to be saved by it was scanned under the journal's lock.
  ///
  /// - Parameter pending: what is pending, if the caller knows.
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
    // Nothing inside another repository is a diary's; git would refuse the whole save for one path.
    let foreign = try await repository.pathsInOtherRepositories(paths)
    let pending = pendingCheckouts(among: scan.checkouts)
    let contents = concurrentMap(paths) { path in
      // Of an entry that is not saved, the index takes the text, and what it shows may be saved.
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
      return .unreadable(reason: localized("is larger than 50 MB"))
    }
    do throws(FileError) {
      return try folder.read(path).map { .file($0) } ?? .absent
    } catch {
      // A folder in its place: what lies in it says whether the file was replaced.
      if error.reason == .notRegular, folder.hasFolder(path) { return .absent }
      return .unreadable(reason: localized("cannot be read: \(error.reason)"))
    }
  }

  /// Whether a file that waits for a newer version still shows the one that is known, or nothing.
  @inline(never)
  private func isUnchanged(
    _ content: SaveCandidate.Content, since checkout: PendingCheckout?, at path: EntryPath
  ) async throws -> Bool {
    guard let checkout else { return false }
    guard case .file(let file) = content else { return true }
    return try await repository.blobID(of: file.bytes, at: path) == checkout.diskBlob
  }
}
