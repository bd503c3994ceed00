import ArgumentParser
import DiaryKit
import Glibc
import Localization

/// The steps of `init --sealed` and `clone --sealed` that ask the person.
struct SealedSetup {
  let environment: RuntimeEnvironment
  let common: CommonOptions
  private var keys: SealedKeys { SealedKeys(environment) }

  // MARK: init

  /// Looks at the host for `init`, before the journal is changed.
  ///
  /// - Parameter root: the journal, if there is one.
  func hostForInit(_ url: String, for root: String?, yes: Bool) async throws -> SealedHost {
    try keys.requireAge()
    let host = try await keys.host(at: url, for: root, command: Self.initCommand(url))
    if case .closed(let error) = host.state { throw error }
    if host.isEmpty, !yes {
      try Console.requirePrompt(
        hint: localized("use --yes, and write the key down then: `diary key --show` prints it"))
    }
    return host
  }

  private static func initCommand(_ url: String) -> String {
    "diary init --remote \(shellWord(JournalSetup.redactedURL(url))) --sealed"
  }

  /// Connects a journal with the host. Nothing is pushed before the person has the key on paper.
  func connect(_ journal: Journal, to host: SealedHost, yes: Bool) async throws {
    let keys = SealedKeys(environment, of: journal)
    var own: (key: KeyFile, isNew: Bool)?
    if host.isEmpty {
      let made = try keys.make(for: host.remote, of: journal)
      guard confirm(made.key, yes: yes) else {
        return common.printNotice(
          localized("Nothing was pushed. The key stays in \(Console.escaped(made.key.path))"))
      }
      own = made
      try await refuseOtherKey(host, made, journal)
    }
    let outcome: SyncOutcome
    do { outcome = try await journal.remote.addSealedRemote(host.remote) } catch {
      if let own { try await refuseOtherKey(host, own, journal) }
      // The error may have a command for plain git.
      printPathLine()
      throw error
    }
    SyncReport.print(outcome, common)
    for name in try await journal.remote.plainRemotes {
      common.printNotice(
        localized(
          "The remote \"\(Console.escaped(name))\" is not sealed: the journal can be read there."))
    }
    try await KeyCommand.tellOutside(of: journal, common)
    printHints(host)
    if !outcome.isComplete { throw ExitCode(1) }
  }

  /// Shows a new key, and asks for it to be written down.
  private func confirm(_ key: KeyFile, yes: Bool) -> Bool {
    guard Console.canPrompt else {
      common.printNotice(
        localized(
          "The key of the remote is in \(Console.escaped(key.path)); write it down: `diary key --show` "
            + "prints it. Without it nobody can read the remote, and neither can you."))
      return yes
    }
    Console.printNotice(localized("The key of the remote, in \(Console.escaped(key.path)):"))
    Console.printNotice((["", ""] + key.rows + [""]).joined(separator: "\n  "))
    common.printNotice(
      paragraph: localized(
        "Write it down, on paper or in a password manager. Without it nobody can read the remote, and "
          + "neither can you. `diary key check` tests what you have written."))
    return yes || Console.confirm(localized("Have you written it down?"), preset: false)
  }

  /// Throws if another device was faster. A key that was made here just now opens nothing then, and is
  /// removed.
  private func refuseOtherKey(
    _ host: SealedHost, _ own: (key: KeyFile, isNew: Bool), _ journal: Journal
  ) async throws {
    let now = try? await keys.host(
      at: host.remote, for: journal.root, command: Self.initCommand(host.remote))
    guard case .closed? = now?.state else { return }
    if own.isNew { keys.remove(own.key) }
    throw DiaryError(
      localized("another device has set up this host in the meantime, with its own key"),
      hint: localized(
        "That device shows its key (diary key); type it here into `diary key add`, then run `diary init` "
          + "again. The key that was shown here opens nothing"))
  }

  /// Names what the host can read, and what git, and another user of the machine, would need or find.
  private func printHints(_ host: SealedHost) {
    if !host.otherRefs.isEmpty {
      let names = host.otherRefs.prefix(5).joined(separator: ", ")
      common.printNotice(
        localized("The host also has refs that are not sealed: \(Console.escaped(names))"))
    }
    printPathLine()
    KeyCommand.printProtection(keys, common)
  }

  private func printPathLine() {
    guard let line = keys.pathLine else { return }
    common.printNotice(
      localized("Plain git finds git-remote-diary with this line in your shell's profile: \(line)"))
  }

  // MARK: clone

  /// The address for git to clone from. Asks for the key if none here opens the remote.
  func addressForClone(_ url: String, to root: String) async throws -> String {
    try JournalSetup.requireNewFolder(root, environment)
    try keys.requireAge()
    let host = try await self.hostForClone(url, to: root)
    switch host.state {
    case .open: break
    case .empty:
      throw DiaryError(
        localized("the host is empty: there is nothing to clone"),
        hint: localized(
          "`diary init \(shellWord(root)) --remote \(shellWord(JournalSetup.redactedURL(url))) --sealed` makes a journal for it"
        ))
    case .closed(let error):
      guard Console.canPrompt else { throw error }
      try await askForKey(of: host, to: root, error)
    }
    printHints(host)
    return host.remote
  }

  private func hostForClone(_ url: String, to root: String) async throws -> SealedHost {
    let address = shellWord(JournalSetup.redactedURL(url))
    return try await keys.host(
      at: url, for: nil, command: "diary clone --sealed \(address) \(shellWord(root))")
  }

  private func askForKey(
    of host: SealedHost, to root: String, _ error: DiaryError
  ) async throws {
    // The command is for another device, where the journal has another folder.
    let line = localized(
      "No key here opens this remote. On a device that has it, `diary key` shows it.")
    Console.write(line + "\n", to: STDERR_FILENO)
    for _ in 0..<3 {
      guard let typed = Console.secret(), !typed.isEmpty else { throw error }
      do {
        let (key, isNew) = try keys.add(typed, for: host.remote)
        if case .open = try await hostForClone(host.remote, to: root).state { return }
        if isNew { keys.remove(key) }
        Console.printNotice(localized("This is a key, but not that of this remote."))
      } catch {
        Console.printError(DiaryError(error))
      }
    }
    throw error
  }
}
