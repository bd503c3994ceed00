import DiaryCore
import Foundation
import GitHistory
import Localization

/// The absence of the journal's folder or repository, until the journal is reopened.
struct Absence {
  /// The reported reason.
  var reason: String?
  /// The number of times that another watcher held the lock of the returned journal.
  var lockRefusals = 0
  /// The number of times that its repository was still being copied.
  var unfinishedCopies = 0

  /// Reports why nothing can be saved, once for each absence.
  mutating func report(_ error: any Error, to log: WatcherLog) {
    let error = DiaryError(error)
    guard lockRefusals == 0, reason != error.message else { return }
    reason = error.message
    log.emit(.error(error))
  }

  /// Opens the journal that is now at the same path.
  static func reopen(_ journal: Journal) throws -> Journal {
    _ = try AvailableFolder(journal.root, journal.environment)
    // The folder may be an empty mount point, or be in another repository by now.
    guard try RepositoryLocation.find(journal: journal.root) == journal.gitLocation else {
      var error = DiaryError.noRepository(of: journal.root)
      error.message += localized(", so nothing can be saved")
      error.hint =
        localized(
          "mount its disk, or bring the repository back; the watcher then continues, and nothing "
            + "is recorded as deleted")
      throw error
    }
    return try Journal(root: journal.root, environment: journal.environment)
  }
}

extension Autosave {
  /// Reopens the journal and everything open in it, because its folder may be back or replaced. The
  /// old descriptors do not refer to the files that the user sees.
  func reopenJournal() async {
    do {
      let fresh = try Absence.reopen(journal)
      let isOther = !lock.isHeld(of: fresh)
      if isOther, absence.unfinishedCopies < 60, fresh.gitLocation.wasWritten(withinSeconds: 2) {
        absence.unfinishedCopies += 1
        schedule[.reopen] = Backoff(first: 1)
        return
      }
      if isOther {
        // A process that reads the holder's name briefly has the lock, so one refusal means nothing.
        do { try lock.move(to: fresh) } catch {
          absence.lockRefusals += 1
          throw error
        }
      }
      journal = fresh
      pathClassifier = PathClassifier(fresh)
      if absence.reason != nil || isOther { log.emit(.reopened(root: fresh.root)) }
      (schedule[.reopen], absence) = (nil, Absence())
      schedule[.rescan] = Backoff(first: 0)
    } catch {
      if absence.lockRefusals > 0 {
        schedule[.reopen] = Backoff(first: 1)
      } else if (error as? DiaryError)?.kind == .locked {
        // To unlock is to mount, which is reported.
        schedule[.reopen] = Backoff(first: 600)
      } else {
        schedule.retry(.reopen, first: 2)
      }
      // A folder that does not exist is reported when it disappears and when it returns.
      if FileManager.default.fileExists(atPath: journal.root) { absence.report(error, to: log) }
    }
  }
}
