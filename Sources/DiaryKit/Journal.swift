import DiaryCore
import EntryFiles
import EntryIndex
import FolderWatch
import Foundation
import GitHistory
import Localization
import Synchronization

/// An open journal: folder and settings, and its repository and index, opened on first use.
package final class Journal: Sendable {
  /// The absolute path of the journal's folder.
  package let root: String
  /// The shared, personal and environment settings, merged.
  package var settings: Settings { loaded.withLock(\.self) }
  /// The invalid settings. The defaults are used instead.
  package let problems: [SettingsProblem]
  /// The zone of dates without one: the settings' zone, otherwise the machine's.
  package let zone: TimeZone
  package let environment: RuntimeEnvironment

  let folder: JournalFolder
  let state: StateFiles
  let gitLocation: RepositoryLocation
  /// The folder `.git/diary`, created with access for its owner only.
  package var stateFolder: String { state.folder }
  private let loaded: Mutex<Settings>
  private let opened = Mutex(Opened())
  /// The texts that this process has served to pages.
  let servedTexts = Mutex(ServedTexts())
  /// The changes that the kernel reports; `nil` if each query scans the folder.
  let changeTracker = Mutex<FolderChangeTracker?>(nil)

  /// The entries that the system did not let an update of the index read. They are in no list.
  let unreadableEntries = Mutex<[EntryPath: FileError.Reason]>([:])

  /// The task that holds the journal's lock, as a hash value.
  let lockingTask = Mutex<Int?>(nil)

  private struct Opened {
    var repository: GitRepository?
    var indexDatabase: EntryIndexDatabase?
  }

  /// Opens the journal at `root`, an absolute path. Writes nothing except `.git/diary/`.
  package init(root: String, environment: RuntimeEnvironment) throws {
    do {
      let available = try AvailableFolder(root, environment)
      guard let gitLocation = try JournalSetup.gitLocation(of: available) else {
        throw DiaryError.noRepository(of: root)
      }
      try gitLocation.requireSupportedState(of: root)
      try EncryptedFolder(root).requireInside(gitLocation.commonDirectory)
      self.gitLocation = gitLocation
      let state = StateFiles(folder: gitLocation.diaryDirectory)
      self.state = state
      folder = try JournalFolder(root: root, knownFolders: { state.knownFolders.read() ?? [:] })
    } catch {
      throw DiaryError(error)
    }
    self.root = root
    self.environment = environment
    var settings: Settings
    (settings, problems) = try Journal.settings(of: folder, environment)
    settings.isVault = JournalFinder.isFolder(root + "/.obsidian")
    loaded = Mutex(settings)
    zone = settings.zone(machine: environment.zone)
  }

  /// Reads the weather settings again, which may have changed since the journal was opened. No
  /// other setting changes while a process runs.
  package func reloadWeatherSettings() throws {
    let fresh = try Journal.settings(of: folder, environment).0
    loaded.withLock { settings in
      settings.place = fresh.place
      settings.weatherProvider = fresh.weatherProvider
    }
  }

  private static func settings(
    of folder: JournalFolder, _ environment: RuntimeEnvironment
  ) throws -> (Settings, [SettingsProblem]) {
    let (source, unread) = SettingsFiles.settingsSource(of: folder, environment)
    let (settings, problems) = Settings.load(source)
    return (settings, unread + problems)
  }

  /// The repository, opened on first use; commands that only list never open it.
  var repository: GitRepository {
    get throws {
      try opened.withLock { opened in
        if let repository = opened.repository { return repository }
        let repository = try GitRepository(gitLocation)
        opened.repository = repository
        return repository
      }
    }
  }

  /// The index, opened on first use.
  var indexDatabase: EntryIndexDatabase {
    get throws {
      try opened.withLock { opened in
        if let indexDatabase = opened.indexDatabase { return indexDatabase }
        try? gitLocation.makeDiaryDirectory()
        makeCacheFolder()
        let indexDatabase = try EntryIndexDatabase.open(at: indexFile, version: indexKey)
        opened.indexDatabase = indexDatabase
        return indexDatabase
      }
    }
  }

  /// Creates ``stateFolder``, accessible only to its owner, if it does not exist.
  package func makeStateFolder() throws(DiaryError) {
    do { try gitLocation.makeDiaryDirectory() } catch { throw DiaryError(error) }
  }

  /// Releases the memory of repository and index that is needed only during work.
  func releaseCaches() async {
    let opened = opened.withLock { $0 }
    await opened.repository?.releaseCaches()
    opened.indexDatabase?.releaseMemory()
    state.checkouts.releaseCache()
    state.knownFolders.releaseCache()
  }

  /// Creates the cache folder without its parents. A journal that was removed while a watcher runs
  /// must not be recreated: that would block its return.
  func makeCacheFolder() { mkdir(stateFolder + "/cache", 0o700) }

  private var indexFile: String { stateFolder + "/cache/index.sqlite" }

  /// True if the index should be closed when the process ends, which waits for the disk. Otherwise
  /// it can be left open.
  package var indexNeedsClosing: Bool { EntryIndexDatabase.logSize(at: indexFile) > 2 << 20 }

  /// A key of every setting that changes the meaning of an entry. Another key means another index.
  private var indexKey: String {
    let settings = settings
    let groups = [
      ["5", zone.identifier, "\(settings.dayStartsAt)", settings.indexFile?.text ?? "none"],
      [settings.tagMarks.rawValue, "\(settings.isVault)"], settings.titles.map(\.rawValue),
      settings.include,
      settings.exclude,
    ]
    var key = ""
    for group in groups {
      for value in group { key += value + "\u{1F}" }
      key += "\u{1E}"
    }
    return key
  }

  /// True if Diary created this journal, as recorded on this device: every file in it is saved.
  package var isCreatedByDiary: Bool {
    FileManager.default.fileExists(atPath: stateFolder + "/made")
  }

  /// The setting `files:`, or the default for this journal.
  var savedFiles: Settings.SavedFiles {
    settings.savedFiles ?? (isCreatedByDiary ? .all : .entries)
  }

  /// The setting `stamp:`, or the default for this journal.
  var stampedFiles: Settings.StampedFiles {
    settings.stampedFiles ?? (isCreatedByDiary ? .all : .new)
  }

  var programs: ProcessRunner { ProcessRunner(environment: environment) }

  /// The user's git in this journal's repository.
  var git: GitCLI { git(timeout: settings.syncTimeout) }

  /// The user's git with another timeout, in seconds.
  func git(timeout: Double) -> GitCLI {
    GitCLI(programs: programs, workTree: gitLocation.workTree, timeout: timeout)
  }

  /// The current time in Unix seconds.
  var now: Int { environment.now() }

  /// The UTC offset of the machine's clock at `instant`, in seconds.
  package func utcOffset(at instant: Int) -> Int {
    environment.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
  }

  /// The diary's current day, by the machine's clock.
  package var today: Day {
    let date = EntryDate(instant: now, offset: utcOffset(at: now))
    return date?.day(startingAt: settings.dayStartsAt) ?? Day.epoch
  }

  /// Ends the flush of a save in progress, if this process has opened the repository.
  func endFlush() async throws { try await opened.withLock(\.repository)?.endFlush() }

  /// Waits for a lock in the state folder.
  func waitForLock(_ name: String) async throws -> ProcessLock {
    var pause = 10
    var waited = 0
    while true {
      if let lock = try ProcessLock(stateFolder + "/" + name) { return lock }
      guard waited < 60_000 else {
        throw DiaryError(
          localized("another diary process is using \(root)"),
          hint: localized("wait for it to end, then try again"))
      }
      try await wait(for: .milliseconds(pause))
      waited += pause
      pause = min(pause * 2, 500)
    }
  }
}

extension Day {
  /// 1970-01-01.
  static var epoch: Day { Day(ordinal: 0) ?? Day.first }
}
