import Foundation
import GitHistory
import Glibc
import Localization
import SealedRemote

/// A key of a sealed remote, in its file on this device.
package struct KeyFile: Sendable, Equatable {
  package var path: String
  /// The key; `nil` if it is of a kind that is not typed, such as a key of ssh.
  package var line: String?
  /// The key in rows and groups, for copying it by hand.
  package var rows: [String] = []
}

/// A sealed remote of a journal, and the key that opens it.
package struct KeyedRemote: Sendable {
  package var name: String
  /// The address without a password.
  package var url: String
  package var key: KeyFile?
  /// True if something of the remote is here, and no key opens it.
  package var isClosed: Bool
}

extension Remote {
  /// The address of a sealed remote, even if git's `insteadOf` puts a plain one in its place.
  var sealedURL: String? {
    ([url].compactMap(\.self) + configuredURLs).first { JournalSetup.sealedHost(of: $0) != nil }
  }
}

/// The keys of sealed remotes on this device: in `keys` of the personal settings, or inside of a journal
/// that locks, because whoever finds the disk must not have them.
package struct SealedKeys: Sendable {
  let environment: RuntimeEnvironment
  private let keys: AgeKeys

  package init(_ environment: RuntimeEnvironment, of journal: Journal? = nil) {
    self.environment = environment
    keys = AgeKeys(
      environment: environment.variables, repository: journal?.stateFolder,
      staysInside: journal.map { EncryptedFolder($0.root).state == .unlocked } ?? false)
  }

  /// Throws unless age is installed.
  package func requireAge() throws { try keys.requirePrograms() }

  /// The command that keeps others from reading the keys; `nil` if none can.
  package var protection: String? {
    let paths = keys.exposedPaths.map(shellWord)
    return paths.isEmpty ? nil : "chmod go= " + paths.joined(separator: " ")
  }

  /// Moves the keys that are in the journal to those of the user. Returns their new files.
  func moveOutOfJournal() throws -> [String] { try keys.moveToUser() }

  /// The sealed remotes of a journal. No host is asked.
  package func remotes(of journal: Journal) async throws -> [KeyedRemote] {
    var found: [KeyedRemote] = []
    for remote in try await journal.repository.remotes() {
      guard let url = remote.sealedURL, let host = JournalSetup.sealedHost(of: url) else {
        continue
      }
      let match = try keys.match(
        remote: host, repository: journal.gitLocation.gitDirectory, currentFolder: journal.root)
      var keyed = KeyedRemote(
        name: remote.name, url: RemoteError.redacted(url), isClosed: match == .closed)
      if case .file(let path) = match { keyed.key = keyFile(path) }
      found.append(keyed)
    }
    return found
  }

  private func keyFile(_ path: String) -> KeyFile {
    let identity = keys.identity(in: path)
    return KeyFile(path: path, line: identity?.line, rows: identity?.rows ?? [])
  }

  /// Throws if one of a command's arguments is a key, and does not repeat it.
  package static func requireNoKey(in arguments: [String]) throws {
    guard AgeIdentity.isIn(arguments) else { return }
    throw DiaryError(
      localized(
        "a key must not stand in a command: other users and the history of your shell can read it"),
      hint: localized(
        "run `diary key add` alone, and type the key there; remove this line from the history of your shell"
      ))
  }

  /// The stored key that a person has typed; `nil` if it is not here. Throws if it has a mistake.
  package func find(_ typed: String) throws -> KeyFile? {
    keys.file(with: try AgeIdentity(typed)).map(keyFile)
  }

  /// Stores a key from a file, unless it is here.
  ///
  /// - Parameter remote: the sealed remote that it is for; `nil` if that is not known.
  package func add(
    _ text: String, for remote: String? = nil
  ) throws -> (key: KeyFile, isNew: Bool) {
    let identity = try AgeIdentity(text)
    if let path = keys.file(with: identity, in: keys.folder) { return (keyFile(path), false) }
    let name = try remote.map { try self.name(of: $0) } ?? "key"
    guard let path = try keys.store(identity.line + "\n", as: name) else {
      preconditionFailure("a numbered name is free")
    }
    return (keyFile(path), true)
  }

  /// The key with which an empty sealed remote begins: the one that opens what this journal has seen
  /// there, else the remote's own, which is made unless it is here.
  package func make(
    for remote: String, of journal: Journal
  ) throws -> (key: KeyFile, isNew: Bool) {
    let known = try keys.match(
      remote: JournalSetup.sealedHost(of: remote) ?? remote,
      repository: journal.gitLocation.gitDirectory, currentFolder: environment.currentFolder)
    if case .file(let path) = known { return (keyFile(try keys.requireOneKey(path)), false) }
    let made = try keys.make(name(of: remote))
    return (keyFile(made.file), made.isNew)
  }

  private func name(of remote: String) throws -> String {
    try keys.name(
      forRemote: JournalSetup.sealedHost(of: remote) ?? remote,
      currentFolder: environment.currentFolder)
  }

  /// Removes a key that opens nothing.
  package func remove(_ key: KeyFile) { unlink(key.path) }

  /// The line with which the user's own git finds `git-remote-diary`; `nil` if it finds it.
  package var pathLine: String? {
    ProcessRunner(environment: environment).isOnPath(Self.helper)
      ? nil : "export PATH=\"$PATH\":\(shellWord(environment.executableDirectory))"
  }

  private static let helper = "git-remote-diary"

  /// Throws if neither git nor Diary finds `git-remote-diary`.
  func requireHelper() throws {
    let own = "\(environment.executableDirectory)/\(Self.helper)"
    guard pathLine != nil, access(own, X_OK) != 0 else { return }
    throw DiaryError(
      localized("\(Self.helper) is not installed, and a sealed remote needs it"),
      hint: localized("it is the same program as `diary`: `ln -s diary \(shellWord(own))`"))
  }
}
