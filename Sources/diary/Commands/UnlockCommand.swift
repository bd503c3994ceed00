import ArgumentParser
import DiaryKit
import Foundation
import Localization

struct UnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "unlock", abstract: localized("Unlock a journal that can be locked."),
    discussion: localized(
      "It asks for the password. The journal stays unlocked until `diary lock`, or until nobody has used "
        + "it for the time of the setting `unlock.lock_when_idle`."))

  @OptionGroup var password: PasswordOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root = JournalFinder.location(named: try common.folder(environment), environment)
    let folder = EncryptedFolder(root)
    let setup = EncryptedSetup(
      environment: environment, common: common, command: password.passwordCommand)
    let wasLocked = folder.state != .unlocked
    if wasLocked { try await setup.unlock(folder) }
    Console.print(
      wasLocked
        ? localized("Unlocked: \(Console.escapedOnTerminal(root))")
        : localized("It is not locked: \(Console.escapedOnTerminal(root))"))
    if wasLocked, folder.contains(environment.currentFolder) {
      common.printNotice(
        localized(
          "This terminal is still in the locked folder; `cd .` leads into the unlocked one."))
    }
    // gocryptfs alone has made it, or `init` was killed before it has shown the key.
    guard FileManager.default.fileExists(atPath: root + "/.diary") else {
      return setup.tellKey(of: folder)
    }
    guard wasLocked, !folder.isReadOnly else { return }
    let journal = try Journal(root: root, environment: environment)
    _ = try await journal.page.endSittingUnlessWatched()
  }
}

struct LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "lock", abstract: localized("Lock a journal of `init --encrypted`."),
    discussion: localized(
      "It waits for a running save. A watcher closes the journal, and goes on after `unlock`."))

  @OptionGroup var common: CommonOptions

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root = JournalFinder.location(named: try common.folder(environment), environment)
    let isNew = try await EncryptedFolder(root).lock(environment)
    Console.print(
      isNew
        ? localized("Locked: \(Console.escapedOnTerminal(root))")
        : localized("It is locked already: \(Console.escapedOnTerminal(root))"))
  }
}
