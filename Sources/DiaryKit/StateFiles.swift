import DiaryCore
import EntryFiles
import Foundation

/// The state files in `.git/diary/`: everything that this device must remember and cannot derive
/// from the files and the repository.
///
/// Beside them are empty files for facts about the journal's origin (``RepositoryMarker``), the
/// version of all this (``StateVersion``), the page's state (`web.json`), locks, the index in
/// `cache/`, and in `sealed/` the copies of sealed remotes, which are fetched again, with the states
/// of them that were seen (`SealedRemote`). `keys/` has the keys of a journal that locks, which are
/// nowhere else (``SealedKeys``).
///
/// Each file stands below the types that it is for. Other types change it, too: `diary new` queues
/// a stamp, and a save lets the records of a renamed entry follow it. A file is changed under the
/// journal's lock, with these exceptions: `git.json` under the lock of syncs; and under no lock
/// `service.json`, `making.json`, and the answers and failures of the weather hook, where a lost
/// update costs no more than the loss of the file. What that costs stands at each.
struct StateFiles: Sendable {
  /// The folder `.git/diary`.
  let folder: String

  init(folder: String) {
    self.folder = folder
    checkouts = StateFile(
      "arrivals.json", in: folder, defaultValue: [], durable: true, cached: true)
    knownFolders = StateFile(
      "folders.json", in: folder, defaultValue: nil, durable: true, cached: true)
  }

  // MARK: Saver

  /// The folders with saved files, as Diary saw them at its last save or checkout there; `nil`
  /// before the first record. An empty mount point looks like a folder whose files were deleted;
  /// only this record tells them apart, so a damaged file is an error.
  let knownFolders: StateFile<[String: KnownFolder]?>

  /// The entries that `diary new` created for an editor, by path, with the text that it wrote. An
  /// entry that is still byte for byte this text is blank. Without the record it is an entry.
  var blanks: StateFile<[String: String]> { file("blank.json", [:]) }

  /// The blank entries to which the user gave a title or tags, with the process that runs their
  /// editor. If that process was killed, they are entries, because they hold user input. Without
  /// the record they stay blank.
  var drafts: StateFile<[String: Int32]> { file("begun.json", [:]) }

  /// The reason why the last sitting is not committed. The next attempt finds it again.
  var deferredCommit: StateFile<DeferredCommit?> { file("waiting.json", nil) }

  /// The times of the regular upkeep, and the notices shown. Without it both come once more.
  var upkeep: StateFile<Upkeep> { file("upkeep.json", Upkeep()) }

  // MARK: Checkouts and RemoteSync

  /// The files that syncs, and git, replaced or have to replace, in the order of the syncs, at most
  /// one record for each path. Without it an old buffer takes back what another device wrote, so a
  /// damaged file is an error.
  let checkouts: StateFile<[CheckoutRecord]>

  /// The last exchange with the remote, and the entries to review. The marks of those are lost.
  var sync: StateFile<SyncState> { file("sync.json", SyncState()) }

  /// The locks of git that a fetch or a push of Diary may leave behind. Without it, the user
  /// removes them.
  var gitLocks: StateFile<GitLockRecord> { file("git.json", GitLockRecord(), durable: true) }

  // MARK: JournalWeather

  /// The stamps that need a network, oldest first. Those entries keep no weather.
  var queuedStamps: StateFile<[QueuedStamp]> { file("owed.json", []) }

  /// The stamps that wait until an editor closes, by path. Those entries keep no stamp.
  var waitingStamps: StateFile<[String: WaitingStamp]> { file("stamps.json", [:]) }

  /// The failures of the weather hook. It is asked again at once.
  var weatherBackoff: StateFile<WeatherBackoff> { file("weather-trouble.json", WeatherBackoff()) }

  /// The answers of the weather hook, which may be asked again.
  var weatherAnswers: StateFile<[String: WeatherAnswer.Observation]> {
    file("cache/weather.json", [:])
  }

  /// The places that the user has had looked up, by name. They are looked up again.
  var places: StateFile<[String: Place]> { file("places.json", [:]) }

  // MARK: History and Transfer

  /// The operations that `undo` and `redo` may reverse. Their versions stay in the history.
  var operations: StateFile<[JournalOperation]> { file("operations.json", []) }

  /// The marks of the items that were imported. A second import adds nothing, even if the entry has
  /// been edited, renamed or deleted since. Without them it compares texts.
  var imports: StateFile<ImportMarks> { file("imported.json", ImportMarks()) }

  /// The files that a running import creates, percent-encoded. If it is killed, the next import
  /// saves them together with its own files; without the record any save does.
  var unfinishedImport: StateFile<[String]> { file("import.json", []) }

  // MARK: WatchInstallation and JournalSetup

  /// The installed service. Without the record the user removes it.
  var service: StateFile<InstalledService?> { file("service.json", nil) }

  /// The state of an `init` in progress: whether the folder was the user's before. An interrupted
  /// one is continued.
  var initState: StateFile<String> { file(Self.initStateName, "") }
  static let initStateName = "making.json"

  private func file<Value>(
    _ name: String, _ defaultValue: Value, durable: Bool = false
  ) -> StateFile<Value> {
    StateFile(name, in: folder, defaultValue: defaultValue, durable: durable)
  }
}

/// The times of daily upkeep, the days on which Diary ran, and the notices that are shown once.
struct Upkeep: Codable, Sendable {
  /// The times of the last cleanup and of git's last repacking, in Unix seconds.
  var (cleanedUp, packed) = (0, 0)
  var days = UsedDays()
  /// The names of the notices that were shown.
  var notices: Set<String> = []
}
