import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Glibc
import Localization

/// The result of `diary init`.
package struct InitOutcome: Sendable {
  /// The journal's absolute path.
  package var root: String
  /// True if the git repository was created.
  package var isNewRepository: Bool
  /// The result of the first commit.
  package var save: SaveOutcome
  /// The number of entries in the index.
  package var entries: Int
}

extension JournalSetup {
  /// Examines a folder that is to become a journal. Changes nothing.
  package static func survey(
    _ root: String, _ environment: RuntimeEnvironment
  ) async throws -> InitSurvey {
    let root = environment.absolutePath(of: root)
    let folder = try AvailableFolder(forNew: root, environment)
    guard root != "/", root != environment.absolutePath(of: environment.home) else {
      throw DiaryError(
        localized("\(root) cannot be a journal: Diary would save everything in it"),
        hint: localized("use a separate folder, such as ~/diary"))
    }
    if JournalFinder.exists(root), !JournalFinder.isFolder(root) {
      throw DiaryError(localized("\(root) is a file, not a folder"))
    }
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [])
      .filter { $0 != GitRepository.unfinishedFolderName }
    let head = (try? String(contentsOfFile: root + "/HEAD", encoding: .utf8)) ?? ""
    if !names.contains(".git"), Set(["objects", "refs"]).isSubset(of: names),
      head.hasPrefix("ref: ") || head.prefix(40).count(where: \.isHexDigit) == 40
    {
      throw DiaryError(
        localized("\(root) is a git repository without working files"),
        hint: localized("`diary clone \(shellWord(root)) DIR` makes a journal from it"))
    }
    let gitLocation =
      JournalFinder.isFolder(root) ? try RepositoryLocation.find(journal: root) : nil
    // A folder inside another repository can still get a repository of its own.
    if let gitLocation, gitLocation.prefix == nil || JournalFinder.isFolder(root + "/.diary") {
      try gitLocation.requireSupportedState(of: root)
    }
    let enclosing = try enclosingRepository(of: root)
    let interruptedInit =
      gitLocation.map { StateFiles(folder: $0.diaryDirectory).initState.read() } ?? ""
    var survey = InitSurvey(
      root: root,
      isAdopted: names.contains { $0 != ".git" } || (gitLocation != nil && !names.isEmpty),
      repository: gitLocation?.workTree,
      isJournal: try JournalFinder.isFolder(root + "/.diary") && interruptedInit.isEmpty
        && self.gitLocation(of: folder) != nil)
    if interruptedInit == createdByDiary { survey.isAdopted = false }
    survey.enclosingRepository = enclosing?.workTree
    survey.syncedBy = FolderDetection.syncProgram(above: root)
    guard survey.isAdopted else { return survey }
    let journal = try JournalFolder(root: root)
    let proposal = FolderDetection.proposal(for: journal, names: names)
    survey.include = proposal.include
    survey.exclude = proposal.exclude
    survey.detectedProgram = proposal.detectedProgram
    survey.dailyNote = proposal.dailyNote
    survey.unsupportedNotePattern = proposal.unsupportedNotePattern
    let ignored: (([EntryPath]) async throws -> Set<EntryPath>)? = try gitLocation.map {
      gitLocation in
      let repository = try GitRepository(gitLocation)
      return { try await repository.ignoredPaths(among: $0) }
    }
    try await FolderDetection.count(journal, ignored: ignored, into: &survey)
    return survey
  }

  /// The repository that contains the folder, if the folder is not its top.
  private static func enclosingRepository(of root: String) throws -> RepositoryLocation? {
    var base = root
    while !JournalFinder.isFolder(base), base != "/" {
      base = (base as NSString).deletingLastPathComponent
    }
    guard let gitLocation = try RepositoryLocation.find(journal: base) else { return nil }
    return base == root && gitLocation.prefix == nil ? nil : gitLocation
  }

  /// Creates the folder if it does not exist, accessible by its owner only. An existing folder
  /// keeps its permissions. Returns true if it was created.
  @discardableResult
  static func makePrivateFolder(_ folder: AvailableFolder) throws -> Bool {
    let root = folder.path
    try FileManager.default.createDirectory(
      atPath: (root as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    if mkdir(root, 0o700) == 0 { return true }
    // Other errors are reported by Foundation.
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    return false
  }

  /// Makes the folder a journal. Existing files are not rewritten, and uncommitted files are saved
  /// only on request.
  package static func create(
    from survey: InitSurvey, includingUncommitted: Bool, _ environment: RuntimeEnvironment
  ) async throws -> InitOutcome {
    let root = survey.root
    if let repository = survey.repository {
      try JournalFinder.refuseSecondJournal(root)
      try EncryptedFolder(root).requireInside(repository)
    }
    let folder = try AvailableFolder(root, environment)
    let isNewFolder: Bool
    do {
      isNewFolder = try makePrivateFolder(folder)
    } catch {
      throw DiaryError(
        localized("cannot create the folder \(root): \(DiaryError.message(of: error))"),
        hint: localized("choose a folder that you can write to"))
    }
    let makesRepository = survey.repository == nil
    let origin = survey.isAdopted ? adopted : createdByDiary
    if makesRepository {
      do {
        try await GitRepository.create(
          at: root, branch: "main", notes: [StateFiles.initStateName: "\"\(origin)\""])
      } catch {
        if isNewFolder { rmdir(root) }
        throw error
      }
    } else if let gitLocation = try RepositoryLocation.find(journal: root) {
      try gitLocation.makeDiaryDirectory()
      let initState = StateFiles(folder: gitLocation.diaryDirectory).initState
      // libgit2's lock for writing the configuration remains if `init` is killed.
      if initState.read() == createdByDiary { unlink(gitLocation.commonDirectory + "/config.lock") }
      try initState.write(origin)
    }
    try writeSettings(survey, environment)
    let journal = try Journal(root: root, environment: environment)
    if !survey.isAdopted { journal.setup.markCreatedByDiary() }
    if makesRepository { journal.remote.setMarker(.madeRepository) }
    try await journal.setup.writeGitInfoFiles()
    let outcome = try await journal.locked { locked in
      var paths = try await journal.changes.changedInGit()
      if !includingUncommitted { paths = paths.filter { $0.text.hasPrefix(".diary/") } }
      // The shared settings belong to the journal even if git ignores hidden files.
      let settings = EntryPath(".diary/config.yml").map { [$0] } ?? []
      let ignored = try await journal.repository.ignoredPaths(among: settings)
      paths += ignored
      var outcome = try await locked.saver.saveChanges(
        try await locked.saver.collectChanges(paths, atStart: false, notIgnored: Set(paths)))
      outcome.savedDespiteIgnore = await journal.catalog.ignoreReasons(for: ignored.sorted())
      let message = survey.isAdopted ? adoptionCommitMessage : initialCommitMessage
      try await locked.saver.endSitting(
        into: &outcome, only: includingUncommitted ? nil : paths, message: message)
      outcome.commit?.subject =
        survey.isAdopted
        ? localized("Adopt this folder as a journal") : localized("Begin the journal")
      _ = try await journal.catalog.updateIndex()
      try journal.catalog.writeListFile()
      return outcome
    }
    StateFiles(folder: journal.stateFolder).initState.remove()
    return InitOutcome(
      root: root, isNewRepository: makesRepository, save: outcome,
      entries: try journal.indexDatabase.count())
  }

  /// The origins of the folder, as ``StateFiles/initState`` has them.
  private static let (createdByDiary, adopted) = ("own", "adopted")

  /// The repository of the journal at `root`; `nil` also if its own is missing and only an
  /// enclosing one is found, which must not be used instead.
  static func gitLocation(of folder: AvailableFolder) throws(GitError) -> RepositoryLocation? {
    guard let found = try RepositoryLocation.find(journal: folder.path) else { return nil }
    let isBeingMade = JournalFinder.exists(found.diaryDirectory + "/" + StateFiles.initStateName)
    return try found.hasJournal() || isBeingMade ? found : nil
  }

  /// The uncommitted entries in the folder, which `init` asks about.
  package static func uncommitted(
    in survey: InitSurvey, _ environment: RuntimeEnvironment
  ) async throws -> [EntryPath] {
    guard survey.repository != nil, JournalFinder.isFolder(survey.root),
      let gitLocation = try RepositoryLocation.find(journal: survey.root)
    else { return [] }
    try gitLocation.requireSupportedState(of: survey.root)
    let repository = try GitRepository(gitLocation)
    let walk = try JournalFolder(root: survey.root).scan(EntryMatcher(settings: Settings()))
    return try await FolderChanges.changedInGit(walk.entries, [], repository)
  }

  /// Writes Diary's ignore rules and attributes to `.git/info/`, which clones do not copy. They
  /// cover the list file and the temporary files of atomic writes.
  func writeGitInfoFiles() async throws {
    let base = journal.gitLocation.prefix.map { "/" + $0.text + "/" } ?? "/"
    var ignored = [base + "**/.diary-*.tmp", base + ".diary-*.tmp"]
    if let list = journal.settings.indexFile, !journal.settings.indexIsCommitted,
      journal.isCreatedByDiary
    {
      ignored.insert(base + list.text, at: 0)
    }
    try await journal.repository.installLocalLines(
      exclude: ignored, attributes: MergeDriver.mergeAttributes(below: base))
    try await journal.mergeDriver.registerMergeDriver()
  }

  private static func writeSettings(_ survey: InitSurvey, _ environment: RuntimeEnvironment) throws
  {
    guard let path = EntryPath(".diary/config.yml") else { return }
    let folder = try JournalFolder(root: survey.root)
    guard try folder.signature(of: path) == nil else { return }
    var settings = Settings()
    settings.timeZone = environment.zoneName
    settings.include = survey.include
    settings.exclude = survey.exclude
    settings.dailyNote = survey.dailyNote
    if survey.isAdopted { settings.indexFile = nil }
    // New entries must match the included folders.
    if let only = survey.include.first, survey.include.count == 1, only.hasSuffix("/**") {
      settings.layout = only.dropLast(2) + "{date}-{slug}.md"
    }
    if JournalFinder.isFolder(survey.root + "/.obsidian") {
      settings.titles = [.header, .h1, .name, .line]
    }
    try folder.create(path, Settings.sharedText(settings))
  }
}
