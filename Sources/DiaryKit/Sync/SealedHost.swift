import DiaryCore
import Foundation
import GitHistory
import Localization
import SealedRemote

/// The host of a sealed remote, as it is before the remote is used.
package struct SealedHost: Sendable {
  package enum State: Sendable {
    /// No device has pushed to it.
    case empty
    /// A key of this device opens it.
    case open
    /// No key of this device opens it, as the error says.
    case closed(DiaryError)
  }

  /// The address of the sealed remote, with `diary::`.
  package var remote: String
  package var state: State
  /// The names of refs that stand there beside the sealed remote.
  package var otherRefs: [String] = []

  package var isEmpty: Bool { if case .empty = state { true } else { false } }
}

extension SealedKeys {
  /// Looks at the host of a sealed remote. Throws if it cannot be reached, or is not empty and has none.
  ///
  /// - Parameters:
  ///   - url: any address that git accepts, also with `diary::`.
  ///   - root: the journal whose settings of git count; `nil` if there is none yet.
  ///   - command: the command to repeat after an error.
  package func host(
    at url: String, for root: String?, command: String
  ) async throws -> SealedHost {
    try requireHelper()
    let host = JournalSetup.address(JournalSetup.sealedHost(of: url) ?? url, environment)
    let remote = JournalSetup.sealedPrefix + host
    // In the root folder, git uses no repository that happens to be around.
    let git = GitCLI(
      programs: ProcessRunner(environment: environment), workTree: root ?? "/", timeout: 600)
    let list = try await git.run(["ls-remote", "--", host])
    guard list.status == 0 else {
      throw RemoteError(reading: "", list.errors).firstError(host, command: command)
    }
    let names = String(decoding: list.output, as: UTF8.self).split(separator: "\n")
      .compactMap { $0.split(separator: "\t").last.map(String.init) }
      .filter { $0 != "HEAD" && !$0.hasSuffix("^{}") }
    try await Self.requireSealed(remote, git)
    if names.isEmpty { return SealedHost(remote: remote, state: .empty) }
    let others = names.filter { $0 != "refs/heads/sealed" }
    if others != names {
      let sealed = try await git.run(["ls-remote", "--", remote])
      if sealed.status == 0 { return SealedHost(remote: remote, state: .open, otherRefs: others) }
      let remoteError = RemoteError(reading: "", sealed.errors)
      let error = remoteError.firstError(remote, command: command)
      guard case .sealed(let reason, let hint) = remoteError else { throw error }
      if AgeKeys.isMissingKey(reason) {
        return SealedHost(remote: remote, state: .closed(error), otherRefs: others)
      }
      // If something else was pushed to a sealed remote, the error has the way back.
      guard reason.contains(SealedError.notSealed), hint?.contains("`git update-ref ") != true
      else { throw error }
    }
    let error = SealedError.otherRepository
    throw DiaryError(
      error.message, details: names.prefix(5).map { localized("ref: \($0)") }, hint: error.hint)
  }
}

extension SealedKeys {
  /// True if a commit has the files of a sealed remote, perhaps beside some that were added on the host.
  static func isCarrier(
    _ commit: String, _ git: GitCLI, _ options: [String] = []
  ) async throws -> Bool {
    CarrierFile.areIncluded(in: try await names(in: commit, git, options))
  }

  /// The names in a commit's first folder; none if there is no such commit.
  static func names(
    in commit: String, _ git: GitCLI, _ options: [String] = []
  ) async throws -> [String] {
    let list = try await git.run(options + ["ls-tree", "--name-only", "-z", commit])
    guard list.status == 0 else { return [] }
    return list.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Throws if git puts an address in plain in the place of a sealed one.
  static func requireSealed(_ remote: String, _ git: GitCLI) async throws {
    guard JournalSetup.sealedHost(of: remote) != nil else { return }
    let used = try await git.run(["ls-remote", "--get-url", remote])
    let address = String(decoding: used.output, as: UTF8.self).trimmingCharacters(in: .newlines)
    guard JournalSetup.sealedHost(of: address) == nil else { return }
    throw DiaryError(
      localized("git would use another address, in plain, instead of the sealed one"),
      details: [localized("address: \(RemoteError.redacted(address))")],
      hint: localized("`git config --get-regexp insteadof` shows why; nothing was changed"))
  }
}

extension RemoteSync {
  /// Adds a sealed remote, syncs with it for the first time, and makes it the one that this device syncs
  /// the journal with. A remote of the user's that has the name already is not changed.
  package func addSealedRemote(_ address: String) async throws -> SyncOutcome {
    let remotes = try await journal.repository.remotes()
    let wanted = journal.settings.syncRemote
    let name =
      remotes.first { $0.url == address || $0.configuredURLs.contains(address) }?.name
      ?? ([wanted, "sealed"] + (2...remotes.count + 2).map { "sealed-\($0)" }).first { name in
        !remotes.contains { $0.name == name }
      } ?? wanted
    var environment = journal.environment
    environment.variables["DIARY_SYNC__REMOTE"] = name
    let changed = try Journal(root: journal.root, environment: environment)
    return try await changed.remote.addRemote(address)
  }

  /// Makes a remote the one that this device syncs with, if it is sealed and none is chosen. A watcher with
  /// older settings than those on the disk does not choose. Before a sync, because what it receives may
  /// name another remote.
  func rememberSealed(_ name: String) async throws {
    guard !isNamedForThisCommand,
      try await journal.repository.configValue(Self.sealedRemoteKey) == nil,
      try await journal.repository.remotes().contains(where: {
        $0.name == name && $0.sealedURL != nil
      }),
      Settings.load(journal.settingsFiles.settingsSource).0.syncRemote
        == journal.settings.syncRemote
    else { return }
    try await journal.repository.setLocalConfig([(Self.sealedRemoteKey, name)])
  }

  /// True if the branch `sealed` of a host is that of a sealed remote. Throws if it cannot be looked at.
  /// A copy of it is in the journal's private folder meanwhile.
  ///
  /// - Parameters:
  ///   - address: the host's address, to which `insteadOf` was applied.
  ///   - heads: the output of `git ls-remote` for it.
  func isSealed(
    _ address: String, _ heads: ProcessRunner.Result, _ git: GitCLI
  ) async throws -> Bool {
    guard String(decoding: heads.output, as: UTF8.self).contains("\trefs/heads/sealed\n") else {
      return false
    }
    let copy = journal.stateFolder + "/host.git"
    func remove() { try? FileManager.default.removeItem(atPath: copy) }
    remove()
    defer { remove() }
    let options = ["--git-dir=" + copy]
    let made = try await git.run(options + ["init", "--quiet", "--bare", "--object-format=sha1"])
    let fetch = ["fetch", "--quiet", "--no-tags", "--depth=1", "--", address, "refs/heads/sealed"]
    let fetched = try await git.run(options + Self.exactly(address) + fetch)
    guard made.status == 0, fetched.status == 0 else {
      throw RemoteError(reading: "", made.errors + fetched.errors)
        .firstError(address, command: "diary sync")
    }
    return try await SealedKeys.isCarrier("FETCH_HEAD", git, options)
  }

  /// The options with which git takes an address as it is, and applies no `insteadOf` to it.
  static func exactly(_ address: String) -> [String] {
    address.contains("=") ? [] : ["-c", "url.\(address).insteadOf=\(address)"]
  }

  /// The names of the remotes whose hosts can read the journal.
  package var plainRemotes: [String] {
    get async throws {
      var plain: [String] = []
      for remote in try await journal.repository.remotes() {
        let all = try await addresses(of: remote.name) + addresses(of: remote.name, ["--push"])
        if !all.allSatisfy({ JournalSetup.sealedHost(of: $0) != nil }) { plain.append(remote.name) }
      }
      return plain
    }
  }
}
