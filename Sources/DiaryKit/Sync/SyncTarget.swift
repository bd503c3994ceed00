import DiaryCore
import Foundation
import GitHistory
import Localization

/// The remote and the branch that the current branch syncs with.
struct SyncTarget: Sendable {
  var remote: SyncRemote
  /// The short name of the local branch.
  var branch: String
  /// The ref on the remote: `refs/heads/main`.
  var remoteRef: String
  /// The remote-tracking ref: `refs/remotes/origin/main`.
  var trackingRef: String
}

extension RemoteSync {
  /// True if the local git configuration has a remote to sync with, or names one that it does not have.
  var hasRemote: Bool {
    get async {
      do { return try await chosenRemote() != nil } catch { return true }
    }
  }

  /// The key of the local git configuration with the name of this device's sealed remote. A shared
  /// setting cannot name it: the same name may be that of another remote on another device.
  static let sealedRemoteKey = "diary.sealedRemote"

  /// True if this device has a sealed remote for the journal.
  package var isSealed: Bool {
    get async throws { try await journal.repository.configValue(Self.sealedRemoteKey) != nil }
  }

  /// This device's sealed remote, else the settings' remote if git has it, else the branch's own, else
  /// the only one. Throws if that would be a plain remote in the place of a sealed one.
  func chosenRemote() async throws -> Remote? {
    let remotes = try await journal.repository.remotes()
    let own = try await journal.repository.configValue(Self.sealedRemoteKey)
    if let own, !isNamedForThisCommand {
      guard let sealed = remotes.first(where: { $0.name == own && $0.sealedURL != nil }) else {
        throw missing(
          localized("git has no sealed remote \"\(own)\", with which the journal syncs"))
      }
      return sealed
    }
    let wanted = journal.settings.syncRemote
    if let named = remotes.first(where: { $0.name == wanted }) { return named }
    // A setting names a remote that git does not have: the sealed one may have had that name.
    let isNamed = own != nil || wanted != Settings().syncRemote
    var other = remotes.count == 1 ? remotes.first : nil
    if case .branch(let branch, _) = try await journal.repository.head(),
      let upstream = try await journal.repository.upstream(of: branch)
    {
      other = remotes.first { $0.name == upstream.remote } ?? other
    }
    let hasSealed = own != nil || remotes.contains { $0.sealedURL != nil }
    if isNamed, hasSealed, other?.sealedURL == nil {
      throw missing(localized("git has no remote \"\(wanted)\", with which the journal syncs"))
    }
    return other
  }

  /// True if the environment names the remote, for one command. A value that is not valid is ignored.
  var isNamedForThisCommand: Bool {
    journal.environment.variables["DIARY_SYNC__REMOTE"] == journal.settings.syncRemote
  }

  private func missing(_ message: String) -> DiaryError {
    let root = shellWord(journal.root)
    return DiaryError(
      message,
      hint: localized(
        "`git -C \(root) remote -v` lists the remotes; `git -C \(root) config "
          + "\(Self.sealedRemoteKey) NAME` chooses a sealed one, and `diary config sync.remote NAME` a "
          + "plain one"))
  }

  func syncTarget() async throws -> SyncTarget {
    let branch: String
    switch try await journal.repository.head() {
    case .branch(let name, _), .unborn(let name): branch = name
    case .detached:
      throw DiaryError(
        localized("cannot sync: HEAD is detached (not on a branch)"),
        hint: localized(
          "go back to the journal's branch, such as `git switch main`; nothing is lost"))
    }
    guard let remote = try await chosenRemote() else {
      throw DiaryError(
        localized("there is no remote to sync with"),
        hint:
          localized(
            "create an empty repository, then run `diary init \(shellWord(journal.root)) --remote URL`; "
              + "URL is any address that git accepts"))
    }
    let upstream = try await journal.repository.upstream(of: branch)
    let reference =
      upstream?.remote == remote.name ? upstream?.branch : nil
    let remoteRef = reference ?? "refs/heads/\(branch)"
    return SyncTarget(
      remote: SyncRemote(name: remote.name, url: remote.url ?? ""), branch: branch,
      remoteRef: remoteRef,
      trackingRef: try await journal.repository.trackingReference(of: remoteRef, at: remote.name)
        ?? "refs/remotes/\(remote.name)/\(remoteRef.dropFirst("refs/heads/".count))")
  }
}

extension RemoteSync {
  /// Throws unless Diary created the repository, or the user consented to automatic sync.
  package func requireSyncConsent() async throws {
    if let refusal = try await syncRefusal() { throw refusal }
  }

  /// The reason for which there is no automatic sync; `nil` if Diary created the repository, or the user
  /// consented.
  package func syncRefusal() async throws -> DiaryError? {
    guard !journal.settings.syncsAdopted, !hasMarker(.namedRemote), !hasMarker(.cloned),
      try await !isRepositoryCreatedByDiary()
    else { return nil }
    return DiaryError(
      localized(
        "automatic sync is off for \(journal.root), because Diary did not create its repository"),
      hint: localized(
        "to turn it on, set `sync: {adopted: true}` in \(journal.environment.personalSettingsPath), or "
          + "sync by hand with `diary sync`"))
  }

  /// True if Diary created the repository, here or on another device, by its first commit; if histories
  /// were joined, by that of each.
  func isRepositoryCreatedByDiary() async throws -> Bool {
    if hasMarker(.madeRepository) { return true }
    // A journal in a folder of a repository may be Diary's own, and the repository another's.
    guard journal.gitLocation.prefix == nil else { return false }
    if journal.isCreatedByDiary { return true }
    return JournalSetup.areByDiary(try await roots())
  }

  /// The messages of the first commits of the branch: several if histories were joined.
  func roots() async throws -> [String] {
    guard let tip = try await journal.repository.head().commit else { return [] }
    return try await journal.repository.rootMessages(of: tip)
  }
}

/// Facts about the origin of the repository, each stored as a file in `.git/diary/`.
enum RepositoryMarker: String {
  /// Diary created the repository.
  case madeRepository = "made-repository"
  /// Diary cloned the repository.
  case cloned
  /// The user gave Diary the remote.
  case namedRemote = "named-remote"
}

extension RemoteSync {
  func hasMarker(_ marker: RepositoryMarker) -> Bool {
    JournalFinder.exists(journal.stateFolder + "/" + marker.rawValue)
  }

  func setMarker(_ note: RepositoryMarker) { createMarkerFile(note.rawValue) }

  /// Creates an empty file in the state folder.
  func createMarkerFile(_ name: String) {
    _ = FileManager.default.createFile(
      atPath: journal.stateFolder + "/" + name, contents: Data(),
      attributes: [.posixPermissions: 0o600])
  }
}
