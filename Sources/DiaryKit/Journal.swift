import DiaryCore
import EntryFiles
import EntryIndex
import FolderWatch
import Foundation
import GitHistory
import Localization
import Synchronization

/// One journal, opened: its folder, its settings, and, when first needed, its repository and index.
package final class Journal: Sendable {
  /// The journal's folder, absolute.
  package let root: String
  /// Shared, personal and environment settings, overlaid.
  package var settings: Settings { loaded.withLock(\.self) }
  /// What was refused in them; the defaults are used in its place.
  package let problems: [SettingsProblem]
  /// The zone of dates without one: the settings', else the machine's.
  package let zone: TimeZone
  /// The world around it.
  package let environment: RuntimeEnvironment

  let folder: JournalFolder
  let gitLocation: RepositoryLocation
  /// `.git/diary`, made and private.
  package let stateFolder: String
  private let loaded: Mutex<Settings>
  private let opened = Mutex(Opened())
  /// The texts that pages were given by this process.
  let servedTexts = Mutex(ServedTexts())
  /// What the kernel tells of the folder; `nil`: each question walks.
  let changeTracker = Mutex<FolderChangeTracker?>(nil)

  private struct Opened {
    var repository: GitRepository?
    var indexDatabase: EntryIndexDatabase?
  }

  /// Opens the journal at `root`, an absolute path. Nothing is written but `.git/diary/`.
  package init(root: String, environment: RuntimeEnvironment) throws {
    do {
      guard let gitLocation = try Journal.gitLocation(of: root) else {
        throw DiaryError.noRepository(of: root)
      }
      try gitLocation.requireSupportedState(of: root)
      self.gitLocation = gitLocation
      folder = try JournalFolder(root: root)
    } catch {
      throw DiaryError(error)
    }
    self.root = root
    self.environment = environment
    let settings: Settings
    (settings, problems) = try Journal.settings(of: folder, environment)
    loaded = Mutex(settings)
    zone = settings.zone(machine: environment.zone)
    stateFolder = gitLocation.diaryDirectory
  }

  /// Takes in what was said about the weather since the journal was opened; nothing else of the settings
  /// changes while a process runs.
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
    let (source, unread) = settingsSource(of: folder, environment)
    let (settings, problems) = Settings.load(source)
    return (settings, unread + problems)
  }

  /// The repository, opened when first asked for: the commands that only list never ask.
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

  /// The index, opened when first asked for.
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

  /// Makes ``stateFolder``, open to its owner only, where it is not there.
  package func makeStateFolder() throws(DiaryError) {
    do { try gitLocation.makeDiaryDirectory() } catch { throw DiaryError(error) }
  }

  /// Gives back the memory of repository and index that only work needs.
  func releaseCaches() async {
    let opened = opened.withLock { $0 }
    await opened.repository?.releaseCaches()
    opened.indexDatabase?.releaseMemory()
  }

  /// Makes the folder and none above it: a journal that went away while a watcher ran is not to be
  /// begun anew, in the way of the one that comes back.
  func makeCacheFolder() { mkdir(stateFolder + "/cache", 0o700) }

  private var indexFile: String { stateFolder + "/cache/index.sqlite" }

  /// Whether the index should be closed, which waits for the disk, rather than left as it is when the
  /// process ends.
  package var indexNeedsClosing: Bool { EntryIndexDatabase.logSize(at: indexFile) > 2 << 20 }

  /// Names every setting that changes what an entry means: another value, another index.
  private var indexKey: String {
    let settings = settings
    let groups = [
      ["4", zone.identifier, "\(settings.dayStartsAt)", settings.indexFile?.text ?? "none"],
      settings.titles.map(\.rawValue), settings.include, settings.exclude,
    ]
    var key = ""
    for group in groups {
      for value in group { key += value + "\u{1F}" }
      key += "\u{1E}"
    }
    return key
  }

  /// Whether Diary made this journal (then every file in it is saved), as this device remembers it.
  package var isCreatedByDiary: Bool {
    FileManager.default.fileExists(atPath: stateFolder + "/made")
  }

  /// `files:` of the settings, or what fits the journal.
  var savedFiles: Settings.SavedFiles {
    settings.savedFiles ?? (isCreatedByDiary ? .all : .entries)
  }

  /// `stamp:` of the settings, or what fits the journal.
  var stampedFiles: Settings.StampedFiles {
    settings.stampedFiles ?? (isCreatedByDiary ? .all : .new)
  }

  var programs: ProcessRunner { ProcessRunner(environment: environment) }

  /// Now, as Unix seconds.
  var now: Int { environment.now() }

  /// Seconds east of UTC that the machine's clock shows at `instant`.
  func utcOffset(at instant: Int) -> Int {
    environment.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
  }

  /// The diary's day at this moment, on the machine's clock.
  package var today: Day {
    let date = EntryDate(instant: now, offset: utcOffset(at: now))
    return date?.day(startingAt: settings.dayStartsAt) ?? Day.epoch
  }

  /// Runs `body` while no other Diary process changes the journal; waits for its turn.
  func withJournalLock<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try gitLocation.requireSupportedState(of: root)
    try makeStateFolder()
    await refreshMergeDriver()
    var pause = 10
    var waited = 0
    while true {
      if let lock = try FileLock(stateFolder + "/lock") {
        defer { withExtendedLifetime(lock) {} }
        // Another Diary may have raised it meanwhile.
        try gitLocation.requireSupportedState(of: root)
        return try await body()
      }
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
  private static var first: Day {
    guard let day = Day(year: 1, month: 1, day: 1) else { preconditionFailure("year 1 exists") }
    return day
  }
}
