import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

/// The status of a journal.
package struct JournalStatus: Sendable {
  /// The journal's absolute path.
  package var root: String
  /// The number of entries in the index.
  package var entries: Int
  /// The branch, or a description of HEAD if there is none.
  package var branch: String
  /// The running watcher, in the words of its lock file; `nil` if there is none.
  package var watcher: String?
  /// True if that process is suspended (Ctrl-Z), so that it saves nothing.
  package var isWatcherSuspended = false
  /// The error that stops the watcher's work.
  package var watcherError: WatcherError?
  /// The service that starts the watcher, if there is one.
  package var service: InstalledService?
  /// Files on disk that are not saved yet.
  package var unsaved: [EntryPath] = []
  /// Files on the saves ref that are not on the branch yet.
  package var pending: [EntryPath] = []
  /// The reason the commit is deferred.
  package var deferReason: DeferReason?
  /// Unix seconds of the first attempt to make the deferred commit.
  package var deferredSince: Int?
  /// Files staged by the user, which Diary does not commit.
  package var stagedByUser: [EntryPath] = []
  /// Saved files that are missing from the disk and not recorded as deleted.
  package var missing: [EntryPath] = []
  /// Files that a sync has yet to update, with the reason.
  package var toUpdate: [SkippedFile] = []
  /// Files that are not saved, with the reason.
  package var skipped: [SkippedFile] = []
  /// Copies that a sync program made of saved files. They are not entries and are not saved.
  package var conflictCopies: [ConflictCopy] = []
  /// The work that a killed Diary has left, and that only the user can continue.
  package var unfinished: [UnfinishedWork] = []
  /// Entries whose weather is queued.
  package var queuedWeather: [EntryPath] = []
  /// The reason weather requests fail.
  package var weatherError: String?
  /// The place and the provider of the weather, or that it is off.
  package var weather: String
  /// Unix seconds of the last save.
  package var lastSave: Int?
  /// Entries for the user to review, because a merge kept two versions of a passage in them.
  package var review: [EntryPath] = []
  /// True if other users of this machine can read the entries.
  package var isReadableByOthers = false
  /// The program that syncs the encrypted files of a journal that locks.
  package var encryptedFilesSyncedBy: String?
  /// The sync status; `nil` if there is no remote.
  package var sync: SyncStatus?
}

/// Work that the same command, given again, finishes.
package enum UnfinishedWork: String, Sendable {
  case initialization = "init"
  case importing = "import"
}

extension Journal {
  /// Collects the status. Changes only the index.
  package func status() async throws -> JournalStatus {
    let walk = folder.scan(EntryMatcher(settings: settings))
    _ = try await catalog.updateIndex(walk)
    let repository = try repository
    let head = try await repository.head()
    let found = try await changes.unsavedChanges()
    let pending = found.scan.pending
    let watching = watcherStatus
    var status = JournalStatus(
      root: root, entries: try indexDatabase.count(), branch: head.displayName,
      watcher: watching?.process,
      weather: weatherSummary)
    status.watcherError = watching?.error
    status.isWatcherSuspended = watching?.isSuspended ?? false
    status.service = installedService
    status.pending = pending.map(\.path)
    for state in try await changes.states(in: found) {
      switch state.row {
      case nil: break
      case .toUpdate(let reason):
        status.toUpdate.append(SkippedFile(path: state.path, reason: reason))
      case .unsaved: status.unsaved.append(state.path)
      case .missing: status.missing.append(state.path)
      case .notSaved(let reason):
        status.skipped.append(SkippedFile(path: state.path, reason: reason))
      }
    }
    status.skipped += found.skippedFolders + found.scan.missingPictures
    status.skipped += walk.encryptedFolders.map {
      SkippedFile(
        path: $0, reason: localized("is encrypted by gocryptfs, so nothing in it is saved"))
    }
    status.skipped += try await catalog.ignoredFiles()
    status.skipped += try await changes.unsaved(try changes.leftovers(in: walk, quietFor: 0))
      .map { SkippedFile(path: $0.path, reason: $0.reason) }
    if !state.initState.read().isEmpty { status.unfinished.append(.initialization) }
    if try !state.unfinishedImport.load().isEmpty { status.unfinished.append(.importing) }
    status.conflictCopies = try await checkouts.conflictCopies(in: walk)
    status.stagedByUser = try await repository.pathsStagedByUser(nil)
    status.deferReason = try await deferReason()
    status.deferredSince = status.deferReason == nil ? nil : changes.deferredCommit?.since
    // Without a place or a provider, no weather is queued.
    if weather.canFetchWeather {
      status.queuedWeather = try state.queuedStamps.load().compactMap { EntryPath($0.path) }
        .filter(
          weather.stillNeedsStamp)
      let trouble = try state.weatherBackoff.load()
      status.weatherError = trouble.failures > 0 ? trouble.message : nil
    }
    status.lastSave = try await repository.lastSave()?.time
    status.review = try await remote.entriesToReview()
    status.encryptedFilesSyncedBy = EncryptedFolder(root).syncProgram
    // A mounted folder of gocryptfs is for its user alone, whatever its mode is.
    status.isReadableByOthers =
      EncryptedFolder(root).state != .unlocked && JournalFolder.isReachableByOthers(root)
    status.sync = try await remote.syncStatus()
    return status
  }

  /// The reason a sitting cannot be committed now; `nil` if it can.
  private func deferReason() async throws -> DeferReason? {
    if let obstacle = try await repository.deferReason() { return obstacle }
    // A lock of another process is known only from the last attempt.
    return try await repository.pending().isEmpty ? nil : changes.deferredCommit?.reason
  }

  private var weatherSummary: String {
    guard settings.weatherProvider != .off else { return localized("off") }
    guard let place = settings.place else { return localized("off (no place)") }
    let name = place.name ?? String(format: "%.2f, %.2f", place.latitude, place.longitude)
    return localized("\(name), by \(settings.weatherProvider.rawValue)")
  }
}

extension Head {
  /// The branch, or a description of HEAD if there is no branch or no commit.
  var displayName: String {
    switch self {
    case .unborn(let branch): localized("\(branch) (no commit yet)")
    case .branch(let branch, _): branch
    case .detached(let commit): localized("detached at \(commit.short)")
    }
  }
}
