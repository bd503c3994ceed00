import DiaryCore
import EntryFiles
import GitHistory
import Localization

/// The state of a path, as other programs and other commands may have left it. Each question has a
/// facet of its own, because several states can meet: a file that a sync replaced may be unsaved
/// and open in an editor. Only ``FolderChanges/states(of:in:refused:waiting:holders:)`` makes one.
///
/// ``refusal``, ``row`` and ``unfinished`` are the answers of the commands that change a file, of
/// `status` and of `leave`. No switch over a facet has a default, so that a new case compiles only
/// when each of them answers it. docs/architecture.md has the table of all states and commands.
struct PathState: Sendable {
  /// The owner of the path.
  enum Place: Sendable, Equatable {
    /// Diary saves it.
    case journal
    /// Diary does not save it: hidden, secret, a conflict copy, no file of this journal.
    case notSaved
    /// git ignores it. A command that writes it saves it all the same.
    case ignored
    /// In another repository, or in an encrypted folder.
    case foreignFolder
    /// It has a git attribute (`filter=lfs`) that only git can apply.
    case leftToGit(attribute: String)
    /// git's index has several versions of it.
    case unmerged

    /// The owner of a path that Diary saves unless one of these reasons is against it. Of several, the
    /// first counts.
    init(isForeign: Bool, attribute: String?, isIgnored: Bool, isUnmerged: Bool) {
      if isForeign {
        self = .foreignFolder
      } else if let attribute {
        self = .leftToGit(attribute: attribute)
      } else {
        self = isIgnored ? .ignored : isUnmerged ? .unmerged : .journal
      }
    }

    /// The reason only git may write the file, as the end of a sentence; `nil` for other files.
    var foreignReason: String? {
      switch self {
      case .journal, .notSaved, .ignored: nil
      case .foreignFolder: localized("is in another repository, or in an encrypted folder")
      case .leftToGit(let attribute):
        localized("has the git attribute \(attribute), so Diary leaves it to git")
      case .unmerged: localized("has a conflict that git has not finished")
      }
    }
  }

  /// The content of the path on disk, compared with the saves.
  enum Disk: Sendable {
    /// No file, and none is saved.
    case absent
    case saved(FileContents)
    /// The text that `diary new` wrote, untouched and never saved.
    case blank(FileContents)
    case unsaved(FileContents)
    /// Written while it was read.
    case changing
    /// Saved, but absent; the next save records the deletion.
    case deleted
    /// Saved, but absent; another path has its text.
    case moved(to: EntryPath)
    /// Saved, but absent without evidence of a deletion.
    case missing
    /// Saved, and in a folder that is away, as the end of a sentence says.
    case away(String)
    /// Empty since a crash of the machine. The last save has its text.
    case emptiedByCrash(FileContents)
    case tooLarge
    /// The system does not read it. It may have text to save.
    case unreadable(FileError.Reason)
    /// A link, a pipe, a device or a name that cannot be opened as a file.
    case notAFile(FileError.Reason)
    /// Only git can save it, or git refuses to. The text is the reason.
    case refusedByGit(String)

    /// The file, for the states that have one to read.
    var file: FileContents? {
      switch self {
      case .saved(let file), .blank(let file), .unsaved(let file), .emptiedByCrash(let file): file
      case .absent, .changing, .deleted, .moved, .missing, .away, .tooLarge, .unreadable, .notAFile,
        .refusedByGit:
        nil
      }
    }

    /// The reason a save leaves it out, as the end of a sentence that begins with the path; `nil`
    /// for the states that a save takes.
    var reason: String? {
      switch self {
      case .absent, .saved, .blank, .unsaved, .deleted, .moved, .missing: nil
      case .away(let reason): reason
      case .changing: localized("is being written")
      case .emptiedByCrash:
        localized(
          "was emptied by a system crash; `diary restore` brings its last version back, `touch` "
            + "saves it empty")
      case .tooLarge: localized("is larger than 50 MB")
      case .unreadable(let reason), .notAFile(let reason): localized("cannot be read: \(reason)")
      case .refusedByGit(let reason): reason
      }
    }
  }

  /// The relation of the disk to the version that a sync, or the user's git, brought.
  enum Checkout: Sendable, Equatable {
    case none
    /// The branch has a newer version, which is not on the disk yet, for this reason.
    case waiting(String)
    /// A newer version replaced the text that an editor may still show.
    case replaced
    /// A sync removed the file; an editor may still show it.
    case gone
  }

  enum Holder: Sendable, Equatable {
    case nobody
    /// A program with this name has it open.
    case program(String)
  }

  let path: EntryPath
  let place: Place
  let disk: Disk
  let checkout: Checkout
  let holder: Holder

  /// The reason a command must not change the file; `nil` for a file that it may change.
  var refusal: FileRefusal? {
    if let foreignReason = place.foreignReason { return .notSaved(foreignReason) }
    switch checkout {
    case .none, .replaced, .gone: break
    case .waiting(let reason): return .notUpdated(reason)
    }
    switch disk {
    case .absent, .saved, .blank: break
    case .unsaved:
      return place == .notSaved
        ? .notSaved(localized("has changes that cannot be saved")) : .changing
    case .changing, .deleted, .moved: return .changing
    case .missing: return .missing
    case .emptiedByCrash(let file): return disk.reason.map { .emptiedByCrash(file, $0) }
    case .away, .tooLarge, .unreadable, .notAFile, .refusedByGit:
      return disk.reason.map(FileRefusal.notSaved)
    }
    switch holder {
    case .nobody: return nil
    case .program(let name): return .open(name)
    }
  }

  /// The line of `status` that shows the path.
  enum Row: Sendable, Equatable {
    case unsaved, missing
    case notSaved(String)
    case toUpdate(String)
  }

  /// The line of `status` that shows the path; `nil` if there is nothing to say.
  var row: Row? {
    switch checkout {
    case .none, .replaced, .gone: break
    case .waiting(let reason): return .toUpdate(reason)
    }
    switch place {
    // `status` lists the ignored entries with the rules of git.
    case .ignored, .notSaved, .foreignFolder: return nil
    case .unmerged: return place.foreignReason.map(Row.notSaved)
    case .journal, .leftToGit: break
    }
    switch disk {
    case .absent, .saved, .blank, .moved: return nil
    case .unsaved, .changing: return .unsaved
    case .deleted, .missing, .away: return .missing
    case .emptiedByCrash, .tooLarge, .unreadable, .notAFile, .refusedByGit:
      return disk.reason.map(Row.notSaved)
    }
  }

  /// The reason `leave` has to wait for the path; `nil` if nothing is left to do there.
  var unfinished: String? {
    switch checkout {
    case .none, .replaced, .gone: break
    case .waiting(let reason): return reason
    }
    // The file of a blank entry is removed, also where git ignores it.
    if case .blank = disk, case .program = holder { return localized("is open in an editor") }
    switch place {
    case .ignored, .notSaved, .foreignFolder, .leftToGit: return nil
    case .unmerged: return place.foreignReason
    case .journal: break
    }
    switch disk {
    case .absent, .saved, .blank, .missing, .away, .tooLarge, .notAFile: return nil
    case .unsaved, .changing, .deleted, .moved: return localized("is being written")
    case .emptiedByCrash, .unreadable, .refusedByGit: return disk.reason
    }
  }
}

extension FolderChanges {
  /// The states of all paths at which a save, a sync or an editor may have left something to do,
  /// sorted by path.
  ///
  /// - Parameters:
  ///   - found: the result of a scan of all files.
  ///   - refused: the files that git refused to save, with its reasons.
  func states(
    in found: UnsavedChanges, refused: [SkippedFile] = []
  ) async throws -> [PathState] {
    let waiting = try await journal.remote.waitingFiles()
    let blanks = found.scan.blanks.keys.compactMap { EntryPath($0) }
    let paths = Set(found.scan.candidates.keys).union(waiting.map(\.path)).union(blanks)
    return try await states(
      of: paths.sorted(), in: found, refused: refused,
      waiting: Dictionary(waiting.map { ($0.path, $0.reason) }) { $1 },
      holders: journal.holders(of: blanks)
    )
  }

  /// The states of paths that were just scanned.
  ///
  /// - Parameters:
  ///   - found: the result of the scan.
  ///   - refused: the files that git refused to save, with its reasons.
  ///   - waiting: the files that wait for a checkout, with the reasons.
  ///   - holders: the programs that have the files open.
  func states(
    of paths: [EntryPath], in found: UnsavedChanges, refused: [SkippedFile] = [],
    waiting: [EntryPath: String], holders: [EntryPath: String] = [:]
  ) async throws -> [PathState] {
    var disks = found.unsavable
    for file in refused { disks[file.path] = .refusedByGit(file.reason) }
    for path in found.stillChanging { disks[path] = .changing }
    for path in found.missing {
      disks[path] = awayReason(at: path).map { .away($0) } ?? .missing
    }
    for change in found.changes where change.isDeletion {
      disks[change.path] = found.moved[change.path].map { .moved(to: $0) } ?? .deleted
    }
    let records = Dictionary(
      found.scan.checkouts.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let written = Set(found.written)
    var states: [PathState] = []
    for path in paths {
      var place = found.scan.candidates[path]?.place ?? .notSaved
      let disk =
        if let disk = disks[path] { disk } else { try await disk(at: path, in: found.scan) }
      // A list that Diary generated, or the probe of a program, is left out without a word.
      if case .unsaved = disk, place == .journal, !written.contains(path) { place = .notSaved }
      let checkout: PathState.Checkout =
        switch records[journal.checkouts.checkoutName(path)] {
        case nil: .none
        case .some(let record) where record.isWaiting: .waiting(waiting[path] ?? "")
        case .some(let record): record.isGone ? .gone : .replaced
        }
      let holder = holders[path].map { PathState.Holder.program($0) } ?? .nobody
      states.append(
        PathState(path: path, place: place, disk: disk, checkout: checkout, holder: holder))
    }
    return states
  }

  private func disk(at path: EntryPath, in scan: SaveScan) async throws -> PathState.Disk {
    var content = scan.candidates[path]?.content ?? .unread
    if case .unread = content { content = self.content(at: path) }
    switch content {
    case .absent, .unread: return .absent
    case .unsavable(let state): return state
    case .file(let file):
      if let blank = scan.blanks[path.text], Array(blank.utf8) == file.bytes { return .blank(file) }
      // git applies an attribute before it compares the text; it has reported a change.
      if scan.candidates[path]?.attribute != nil { return .saved(file) }
      guard file.isConsistent else { return .changing }
      return try await isSaved(file, at: path) ? .saved(file) : .unsaved(file)
    }
  }

  private func isSaved(_ file: FileContents, at path: EntryPath) async throws -> Bool {
    // A conflict copy is never saved under its own path, but its text is a version of its entry.
    if PathClassifier(journal).kind(of: path) == .never {
      let id = try await journal.repository.blobID(of: file.bytes, at: path)
      return try await !journal.repository.existingObjects(among: [id]).isEmpty
    }
    return try await journal.repository.isSaved(file.bytes, at: path)
  }
}
