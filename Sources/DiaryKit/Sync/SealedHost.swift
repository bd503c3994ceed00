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

  package var isEmpty: Bool { if case .empty = state { true } else { false } }
}

extension SealedKeys {
  /// Looks at the host of a sealed remote. Throws if it cannot be reached or has other refs.
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
      .compactMap { $0.split(separator: "\t").last.map(String.init) }.filter { $0 != "HEAD" }
    if names.isEmpty { return SealedHost(remote: remote, state: .empty) }
    guard names == ["refs/heads/sealed"] else {
      throw DiaryError(
        localized("this host already holds a repository that is not sealed"),
        details: names.prefix(5).map { localized("ref: \($0)") },
        hint: localized(
          "make a new, empty repository for the sealed remote, and delete the old one there when it "
            + "is no longer used"))
    }
    let sealed = try await git.run(["ls-remote", "--", remote])
    if sealed.status == 0 { return SealedHost(remote: remote, state: .open) }
    let remoteError = RemoteError(reading: "", sealed.errors)
    let error = remoteError.firstError(remote, command: command)
    guard case .sealed(let reason, _) = remoteError, AgeKeys.isMissingKey(reason) else {
      throw error
    }
    return SealedHost(remote: remote, state: .closed(error))
  }
}

extension RemoteSync {
  /// Adds a sealed remote, syncs with it for the first time, and makes it the one that the journal syncs
  /// with. A remote of the user's that has the name already is not changed.
  package func addSealedRemote(_ address: String) async throws -> SyncOutcome {
    let remotes = try await journal.repository.remotes()
    let wanted = journal.settings.syncRemote
    let name =
      remotes.first { $0.url == address }?.name
      ?? ([wanted, "sealed"] + (2...remotes.count + 2).map { "sealed-\($0)" }).first { name in
        !remotes.contains { $0.name == name }
      } ?? wanted
    guard name != wanted else { return try await addRemote(address) }
    let settings = journal.settingsFiles
    guard
      settings.settingsSource.all.first(where: { $0.key == "sync.remote" }).map({
        [.shared, .defaultValue].contains($0.origin)
      }) == true
    else {
      throw DiaryError(
        localized("your personal settings name another remote than \"\(name)\" (sync.remote)"),
        hint: localized("`diary config sync.remote \(name)`, then the same command again"))
    }
    // The journal's own setting changes when the host has the journal, and not before.
    var environment = journal.environment
    environment.variables["DIARY_SYNC__REMOTE"] = name
    let changed = try Journal(root: journal.root, environment: environment)
    let outcome = try await changed.remote.addRemote(address)
    _ = try await settings.configure("sync.remote", to: .text(name))
    _ = try await changed.remote.sync()
    return outcome
  }

  /// The names of the remotes whose hosts can read the journal.
  package var plainRemotes: [String] {
    get async throws {
      var plain: [String] = []
      for remote in try await journal.repository.remotes()
      where try await addresses(of: remote.name).contains(where: {
        JournalSetup.sealedHost(of: $0) == nil
      }) {
        plain.append(remote.name)
      }
      return plain
    }
  }
}
