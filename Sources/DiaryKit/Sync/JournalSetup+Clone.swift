import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Glibc
import Localization
import SealedRemote

/// The result of `diary clone`.
package struct CloneOutcome: Sendable {
  /// The journal's absolute path.
  package var root: String
  /// The number of entries in the index.
  package var entries: Int
  /// True if the remote was empty and a new journal was created.
  package var isNew: Bool
}

extension JournalSetup {
  /// Clones the journal at `url` into the new folder `root`, and creates Diary's local files.
  package static func clone(
    _ url: String, to root: String, _ environment: RuntimeEnvironment
  ) async throws -> CloneOutcome {
    let folder = try requireNewFolder(root, environment)
    let git = GitCLI(
      programs: ProcessRunner(environment: environment), workTree: nil, timeout: 24 * 3600)
    try await SealedKeys.requireSealed(address(url, environment), git)
    // git also clones into an empty folder.
    let hasCreatedFolder = (try? makePrivateFolder(folder)) ?? false
    // Without hard links: one bad block would damage objects in both folders.
    let result = try await git.run([
      "clone", "--quiet", "--origin", "origin", "--no-recurse-submodules", "--no-hardlinks", "--",
      address(url, environment),
      root,
    ])
    guard result.status == 0 else {
      if hasCreatedFolder { rmdir(root) }
      let remoteError = RemoteError(reading: "", result.errors)
      throw remoteError.firstError(url)
    }
    let isJournal = JournalFinder.isFolder(root + "/.diary")
    let clone = GitCLI(
      programs: ProcessRunner(environment: environment), workTree: root, timeout: 600)
    let branch = try await isUnborn(root) ? "origin/sealed" : "HEAD"
    if !isJournal, try await SealedKeys.isCarrier(branch, clone) {
      for name in try await SealedKeys.names(in: branch, clone) + [".git"] {
        try? FileManager.default.removeItem(atPath: root + "/" + name)
      }
      if hasCreatedFolder { rmdir(root) }
      throw DiaryError(
        localized("the host has a sealed remote, which is encrypted"),
        details: [localized("remote: \(redactedURL(url))")],
        hint: "`diary clone --sealed \(shellWord(redactedURL(url))) \(shellWord(root))`")
    }
    if try await isUnborn(root) { try await checkOutOnlyBranch(root, environment) }
    if try await isUnborn(root) { return try await createJournal(in: root, environment) }
    guard JournalFinder.isFolder(root + "/.diary") else {
      throw DiaryError(
        localized("\(redactedURL(url)) is not a journal: it has no .diary folder"),
        hint:
          localized("it was cloned to \(root); `diary init \(shellWord(root))` makes it a journal")
      )
    }
    let journal = try Journal(root: root, environment: environment)
    let entries = try await journal.setup.finishClone()
    journal.remote.setMarker(.cloned)
    if sealedHost(of: url) != nil {
      try await journal.repository.setLocalConfig([(RemoteSync.sealedRemoteKey, "origin")])
    }
    return CloneOutcome(root: root, entries: entries, isNew: false)
  }

  /// Throws unless the folder does not exist or is empty.
  @discardableResult
  package static func requireNewFolder(
    _ root: String, _ environment: RuntimeEnvironment
  ) throws(DiaryError) -> AvailableFolder {
    let folder = try AvailableFolder(forNew: root, environment)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    guard JournalFinder.exists(root), !JournalFinder.isFolder(root) || !names.isEmpty else {
      return folder
    }
    throw DiaryError(
      localized("\(root) already exists and is not empty"),
      hint: JournalFinder.isFolder(root + "/.diary")
        ? localized(
          "it is a journal; `diary sync --journal \(shellWord(root))` syncs with its remote, and "
            + "`diary init \(shellWord(root)) --remote URL` adds one")
        : localized(
          "give another folder after the address, or remove this one if a clone was interrupted"))
  }

  /// True if git has cloned this journal and Diary's local setup is missing.
  package func needsCloneSetup() async throws -> Bool {
    try await journal.repository.configValue(MergeDriver.mergeDriverCommand) == nil
  }

  /// Creates Diary's local setup, which no clone contains: the lines in `.git/info/`, the merge
  /// driver and the list file. Returns the number of entries.
  package func finishClone() async throws -> Int {
    try journal.gitLocation.makeDiaryDirectory()
    if try await isFirstCommitByDiary() { markCreatedByDiary() }
    try await writeGitInfoFiles()
    return try await journal.locked { locked in
      try await locked.saver.refreshKnownFolders()
      _ = try await journal.catalog.updateIndex()
      try journal.catalog.writeListFile()
      return try journal.indexDatabase.count()
    }
  }

  /// The absolute path of a local path. An address with a scheme or a host is not changed.
  static func address(_ url: String, _ environment: RuntimeEnvironment) -> String {
    if let host = sealedHost(of: url) { return sealedPrefix + address(host, environment) }
    let isHost = url.firstIndex(of: ":").map { !url[..<$0].contains("/") } ?? false
    return isHost || url.contains("://") ? url : environment.absolutePath(of: url)
  }

  /// The beginning of the address of a sealed remote.
  static let sealedPrefix = "diary::"

  /// The address of a sealed remote's host; `nil` for a plain remote.
  package static func sealedHost(of url: String) -> String? {
    url.hasPrefix(sealedPrefix) ? String(url.dropFirst(sealedPrefix.count)) : nil
  }

  /// Checks out the only branch of the remote. HEAD of a repository made by `git init --bare` names
  /// a default branch that may not exist, whatever the journal's branch is called.
  private static func checkOutOnlyBranch(_ root: String, _ environment: RuntimeEnvironment)
    async throws
  {
    let git = GitCLI(
      programs: ProcessRunner(environment: environment), workTree: root, timeout: 24 * 3600)
    let list = try await git.run(["branch", "--remotes", "--format=%(refname:lstrip=3)"])
    let names = String(decoding: list.output, as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { $0 != "HEAD" }
    guard let name = names.count == 1 ? names[0] : names.first(where: { $0 == "main" }) else {
      guard names.isEmpty else {
        throw DiaryError(
          localized("cannot tell which branch of the remote contains the journal"),
          details: names.map { localized("branch: \($0)") },
          hint: localized(
            "`git -C \(shellWord(root)) switch BRANCH`, then `diary init \(shellWord(root))`"))
      }
      return
    }
    let switched = try await git.run(["switch", "--quiet", "--track", "origin/" + name])
    guard switched.status == 0 else {
      throw DiaryError(localized("git cannot check out \(name)"), details: [switched.errors])
    }
  }

  private static func isUnborn(_ root: String) async throws -> Bool {
    guard let gitLocation = try RepositoryLocation.find(journal: root) else { return false }
    return try await GitRepository(gitLocation).head().commit == nil
  }

  private static func createJournal(
    in root: String, _ environment: RuntimeEnvironment
  ) async throws -> CloneOutcome {
    var survey = try await survey(root, environment)
    // An empty clone is a new folder, not one to adopt.
    survey.isAdopted = false
    let made = try await create(from: survey, includingUncommitted: true, environment)
    let journal = try Journal(root: root, environment: environment)
    _ = try await journal.remote.sync()
    return CloneOutcome(root: root, entries: made.entries, isNew: true)
  }

  /// True if a first commit is the one that `diary init` makes in a folder of its own, and all others are
  /// Diary's, too, where histories were joined.
  func isFirstCommitByDiary() async throws -> Bool {
    guard journal.gitLocation.prefix == nil else { return false }
    let roots = try await journal.remote.roots()
    return JournalSetup.areByDiary(roots)
      && roots.contains { $0.hasPrefix(JournalSetup.initialCommitMessage) }
  }

  /// True if these messages of first commits are all Diary's.
  static func areByDiary(_ roots: [String]) -> Bool {
    !roots.isEmpty
      && roots.allSatisfy { root in
        [initialCommitMessage, adoptionCommitMessage].contains { root.hasPrefix($0) }
      }
  }

  /// The message of the first commit in a journal that Diary created.
  static let initialCommitMessage = "Begin the journal"

  /// The message of the first commit in a folder that Diary adopted.
  static let adoptionCommitMessage = "Adopt this folder as a journal"

  func markCreatedByDiary() { journal.remote.createMarkerFile("made") }

  /// The address without the password that a URL may contain.
  package static func redactedURL(_ url: String) -> String { RemoteError.redacted(url) }
}
