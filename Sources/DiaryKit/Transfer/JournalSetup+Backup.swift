import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import Localization
import ZipFiles

extension JournalSetup {
  /// True if the text is the path of a zip archive.
  package static func isArchive(_ text: String, _ environment: RuntimeEnvironment) -> Bool {
    let path = environment.absolutePath(of: text)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: path)
    else { return false }
    return (try? file.read(upToCount: 4)).map { ImportSource.isZip(Array($0)) } ?? false
  }

  /// Restores a backup of ``BackupWriter`` to the new folder `root`: the history with all its refs,
  /// and over it the files, which may be newer. The journal has no remote. The folder appears when
  /// it is complete. Of the archive's own `.git`, nothing is taken.
  package static func restoreBackup(
    _ archive: String, to root: String, _ environment: RuntimeEnvironment
  ) async throws -> CloneOutcome {
    try requireNewFolder(root, environment)
    let zip: ZipReader
    do { zip = try ZipReader(path: environment.absolutePath(of: archive)) } catch {
      throw DiaryError(localized("cannot restore \(archive): \(error.description)"))
    }
    let files = zip.items.compactMap { item in journalPath(of: item, zip).map { ($0, item) } }
    guard files.contains(where: { $0.0.text == ".diary/config.yml" }) else {
      throw DiaryError(
        localized("\(archive) is not a backup of a journal"),
        hint: localized("`diary import \(shellWord(archive))` reads exports of other programs"))
    }
    try FileManager.default.createDirectory(
      atPath: (root as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    let target = try ExportDestination(
      root, displayPath: root, isFolder: true, replacing: false, environment)
    let bundle = zip.item(named: "history.bundle")
    let git = GitCLI(
      programs: ProcessRunner(environment: environment), workTree: target.draft,
      timeout: 24 * 3600)
    if let bundle { try await restoreHistory(zip, bundle, in: target.draft, git) }
    let twice = try JournalFolder(root: target.draft).create(
      files.map { path, item in (path, { receive in try zip.read(item, receive) }) })
    if let path = twice.min() {
      throw DiaryError(
        localized("\(path.text) cannot be written beside a file of the same name"),
        hint: localized("restore to a disk that distinguishes capital and small letters"))
    }
    if bundle != nil { try await resetIndex(in: target.draft, git) }
    try target.finish()
    guard bundle != nil else {
      // A repository of its own, wherever the folder is.
      let survey = InitSurvey(root: root, isAdopted: false, repository: nil, isJournal: false)
      let made = try await create(from: survey, includingUncommitted: true, environment)
      return CloneOutcome(root: root, entries: made.entries, isNew: true)
    }
    let journal = try Journal(root: root, environment: environment)
    let entries = try await journal.setup.finishClone()
    journal.remote.setMarker(.madeRepository)
    return CloneOutcome(root: root, entries: entries, isNew: false)
  }

  /// The path in the journal of a file of a backup; `nil` for the history and for files of git.
  private static func journalPath(of item: ZipItem, _ zip: ZipReader) -> EntryPath? {
    let (name, folder) = (zip.rawName(of: item), Array("journal/".utf8))
    guard name.starts(with: folder), let path = EntryPath(bytes: name.dropFirst(folder.count)),
      !path.text.lowercased().split(separator: "/").contains(".git")
    else { return nil }
    return path
  }

  /// Makes a repository with exactly the refs of the bundle, without a remote.
  private static func restoreHistory(
    _ zip: ZipReader, _ bundle: ZipItem, in folder: String, _ git: GitCLI
  ) async throws {
    let path = folder + "/history.bundle"
    let file = try ExportFile(at: path, displayPath: path)
    try zip.read(bundle) { try file.write(Array($0)) }
    try file.close(flushing: false)
    try await run(git, ["clone", "--quiet", "--mirror", "--", path, folder + "/.git"])
    unlink(path)
    try await run(git, ["config", "core.bare", "false"])
    try await run(git, ["config", "--remove-section", "remote.origin"])
    let settings = try await run(git, ["ls-tree", "-r", "-z", "--name-only", "HEAD"])
      .split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      .filter { $0 == ".diary/config.yml" || $0.hasSuffix("/.diary/config.yml") }
    guard settings.isEmpty || settings.contains(".diary/config.yml") else {
      throw DiaryError(
        localized("the history in the backup is that of a larger folder"),
        hint: localized("docs/export.md says how to restore it with git"))
    }
  }

  /// Makes git's index that of the last commit, and files executable that are so in it.
  private static func resetIndex(in folder: String, _ git: GitCLI) async throws {
    try await run(git, ["reset", "--quiet"])
    let files = try await run(git, ["ls-files", "--stage", "-z"])
    for line in files.split(separator: 0) where line.starts(with: "100755 ".utf8) {
      guard let tab = line.firstIndex(of: 9) else { continue }
      let path = (Array(folder.utf8) + [UInt8(ascii: "/")] + line[(tab + 1)...] + [0])
        .map { CChar(bitPattern: $0) }
      var status = stat()
      // As git does: executable for all who may read it.
      if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        chmod(path, status.st_mode | (status.st_mode & 0o444) >> 2)
      }
    }
  }

  @discardableResult
  private static func run(_ git: GitCLI, _ arguments: [String]) async throws -> [UInt8] {
    let result = try await git.runLocally(arguments)
    guard let result, result.status == 0 else {
      throw DiaryError(
        localized("git cannot restore the history"), details: result.map { [$0.errors] } ?? [],
        hint: localized("`diary import` takes the entries of a backup without their history"))
    }
    return result.output
  }
}
