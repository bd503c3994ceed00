import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

/// The password of a journal that can be locked.
struct PasswordOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("A command line that prints the password."), valueName: "command"))
  var passwordCommand: String?
}

/// The steps of `init --encrypted` and `unlock` that need a password.
struct EncryptedSetup {
  let environment: RuntimeEnvironment
  let common: CommonOptions
  /// The command line of `--password-command`.
  let command: String?

  /// Makes the encrypted folder for a new journal, and unlocks it.
  func make(_ survey: InitSurvey) async throws {
    let folder = EncryptedFolder(survey.root)
    guard !survey.isJournal, !survey.isAdopted else {
      throw DiaryError(
        localized("\(survey.root) is not empty, and --encrypted only makes new journals"),
        hint: localized("choose a new folder; nothing was changed"))
    }
    // An `init` that was interrupted has made it; a journal is in none of its files.
    if folder.state == .unlocked { return tellKey(of: folder) }
    try folder.requirePrograms(environment)
    explain(folder)
    let password = try await password(isNew: true)
    try await folder.make(password: password, environment)
    try await unlock(folder, password)
    try await showKey(of: folder, password)
  }

  /// Tells where the encrypted files will be, before the password is asked for.
  func explain(_ folder: EncryptedFolder) {
    common.printNotice(
      paragraph: localized(
        "The files will be in \(Console.escaped(folder.cipherFolder)), encrypted with a password. "
          + "Nobody can read them without it or the master key, and neither can you."))
  }

  /// Tells how the master key can be shown.
  func tellKey(of folder: EncryptedFolder) {
    common.printNotice(
      localized(
        "Write the master key down: `gocryptfs-xray -dumpmasterkey "
          + "\(shellWord(folder.settingsFile))` prints it."))
  }

  /// Shows the master key once, on a terminal.
  func showKey(of folder: EncryptedFolder, _ password: [UInt8]) async throws {
    guard Console.canPrompt else { return tellKey(of: folder) }
    let key = try await folder.masterKey(password: password, environment)
    Console.printNotice(localized("The master key, which opens the journal without the password:"))
    Console.printNotice("\n  " + Self.rows(of: key).joined(separator: "\n  ") + "\n")
    common.printNotice(
      paragraph: localized(
        "Write it down, and keep it where nobody else finds it. A lost password and a lost key are a "
          + "lost journal; so are a lost gocryptfs.conf and a lost key. It is not shown again."))
    _ = Console.prompt(localized("Press Enter when you have written it down. "))
  }

  /// Unlocks a journal; a wrong password that was typed is asked for again.
  func unlock(_ folder: EncryptedFolder) async throws {
    try folder.requireUnlockable(environment)
    for attempt in 1... {
      let password = try await password(isNew: false)
      do { return try await unlock(folder, password) } catch {
        guard DiaryError(error).kind == .locked, passwordCommand == nil, Console.canPrompt,
          attempt < 3
        else { throw error }
        Console.printError(DiaryError(error))
      }
    }
  }

  private func unlock(_ folder: EncryptedFolder, _ password: [UInt8]) async throws {
    try await Interruptible.run { try await folder.unlock(password: password, environment) }
  }

  /// The key in groups, for copying it by hand.
  private static func rows(of key: String) -> [String] {
    let groups = stride(from: 0, to: key.count, by: 8).map { start in
      String(key.dropFirst(start).prefix(8))
    }
    return stride(from: 0, to: groups.count, by: 4).map { start in
      groups[start...].prefix(4).joined(separator: "-")
    }
  }

  private var passwordCommand: String? {
    command ?? JournalFinder.personalSettings(environment).passwordCommand
  }

  /// The password, typed or from a command; a new one is typed twice.
  func password(isNew: Bool) async throws -> [UInt8] {
    if let passwordCommand {
      return try await EncryptedFolder.password(from: passwordCommand, environment)
    }
    guard Console.canPrompt else {
      throw DiaryError(
        localized("no password: this is not a terminal, and there is no command for it"),
        hint: localized("--password-command, or the setting unlock.password_command, prints it"))
    }
    while true {
      guard let typed = Console.secret(localized("Password (it is not shown): ")), !typed.isEmpty
      else { throw DiaryError(localized("no password was given")) }
      guard isNew else { return Array(typed.utf8) }
      if Console.secret(localized("The same password again: ")) == typed {
        return Array(typed.utf8)
      }
      Console.printNotice(localized("The two are not the same."))
    }
  }
}
