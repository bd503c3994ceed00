import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

/// How a journal stands.
package struct JournalStatus: Sendable {
  /// The journal, absolute.
  package var root: String
  /// How many entries the list has.
  package var entries: Int
  /// The branch, or what stands in its place.
  package var branch: String
  /// Who watches, as it wrote it down.
  package var watcher: String?
  /// What keeps it from its work.
  package var watcherError: WatcherError?
  /// The service that starts it, where there is one.
  package var service: InstalledService?
  /// On the disk, not kept yet.
  package var unsaved: [EntryPath] = []
  /// Kept on the saves ref, not on the branch yet; since when (Unix seconds).
  package var pending: [EntryPath] = []
  /// Unix seconds of the first save that the branch lacks.
  package var pendingSince: Int?
  /// Why the branch waits.
  package var deferReason: String?
  /// Unix seconds of the first save that waits with it.
  package var deferredSince: Int?
  /// Staged by the writer, so left to them.
  package var stagedByUser: [EntryPath] = []
  /// Saved, gone from the disk, and not recorded as deleted.
  package var missing: [EntryPath] = []
  /// Not saved, and why.
  package var skipped: [SkippedFile] = []
  /// Copies that a sync program made of files that are saved; they are neither entries nor saved.
  package var conflictCopies: [ConflictCopy] = []
  /// Entries whose weather is still to come.
  package var pendingWeather: [EntryPath] = []
  /// Why the weather does not come, when it does not.
  package var weatherError: String?
  /// Place and provider, or that it is off.
  package var weather: String
  /// Unix seconds of the last save.
  package var lastSave: Int?
  /// Entries at which the user should look, for a merge kept two versions of something in them.
  package var review: [EntryPath] = []
  /// How the exchange with the remote stands; `nil` where there is none.
  package var sync: SyncStatus?
}

extension Journal {
  /// Looks at everything; changes nothing but the index.
  package func status() async throws -> JournalStatus {
    let walk = folder.scan(EntryMatcher(settings: settings))
    _ = try await updateIndex(walk)
    let repository = try repository
    let head = try await repository.head()
    let found = try await collectAllChanges()
    let pending = found.scan.pending
    var status = JournalStatus(
      root: root, entries: try indexDatabase.count(), branch: head.displayName,
      watcher: runningWatcher,
      weather: weatherSummary)
    status.watcherError = watcherError
    status.service = installedService
    status.pending = pending.map(\.path)
    status.pendingSince = pending.map(\.firstSaved).min()
    for change in found.changes {
      switch change {
      case .write(let path, let bytes, _):
        if try await !repository.isSaved(bytes, at: path) { status.unsaved.append(path) }
      case .delete(let path):
        if found.moved[path] == nil { status.missing.append(path) }
      }
    }
    status.missing = (status.missing + found.missing).sorted()
    status.skipped = found.skipped + found.scan.missingPictures + (try await ignoredFiles())
    status.conflictCopies = try await conflictCopies(in: walk)
    status.stagedByUser = try await repository.pathsStagedByUser(nil)
    status.deferReason = try await deferReason()
    status.deferredSince = status.deferReason == nil ? nil : status.pendingSince
    // Where nothing may be asked, nothing is to come.
    if canFetchWeather {
      status.pendingWeather = try queuedStamps.load().compactMap { EntryPath($0.path) }.filter(
        stillNeedsStamp)
      let trouble = try weatherBackoff.load()
      status.weatherError = trouble.failures > 0 ? trouble.message : nil
    }
    status.lastSave = try await repository.lastSave()?.time
    status.review = try await entriesToReview()
    status.sync = try await syncStatus()
    return status
  }

  /// Why a sitting could not go to the branch now, `nil` when it could.
  private func deferReason() async throws -> String? {
    if let obstacle = try await repository.deferReason() { return obstacle.storedText }
    // A lock that somebody holds is known from the last try alone.
    return try await repository.pending().isEmpty ? nil : deferredCommit?.reason
  }

  private var weatherSummary: String {
    guard settings.weatherProvider != .off else { return localized("off") }
    guard let place = settings.place else { return localized("off (no place)") }
    let name = place.name ?? String(format: "%.2f, %.2f", place.latitude, place.longitude)
    return localized("\(name), by \(settings.weatherProvider.rawValue)")
  }
}

extension Head {
  /// The branch, or what stands in its place.
  var displayName: String {
    switch self {
    case .unborn(let branch): localized("\(branch) (no commit yet)")
    case .branch(let branch, _): branch
    case .detached(let commit): localized("detached at \(commit.short)")
    }
  }
}
