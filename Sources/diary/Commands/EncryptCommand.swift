import ArgumentParser
import DiaryKit
import Foundation
import Localization

struct EncryptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "encrypt", abstract: localized("Encrypt a journal, so that it can be locked."),
    discussion: localized(
      "It copies the journal into an encrypted folder and compares both. Then the encrypted one takes "
        + "its place, and the plain one stays as FOLDER.plain until you remove it. After an "
        + "interruption, the same command goes on."))

  @OptionGroup var password: PasswordOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root = JournalFinder.location(named: try common.folder(environment), environment)
    let encryption = JournalEncryption(root, environment)
    let folder = encryption.folder
    let setup = EncryptedSetup(
      environment: environment, common: common, command: password.passwordCommand)
    var turn: FileHandle?
    switch try encryption.nextStep() {
    case .copy:
      let journal = try common.open(writing: true)
      try encryption.check(journal)
      setup.explain(folder)
      let password = try await setup.password(isNew: true)
      turn = try await encryption.copyJournal(journal, password: password)
      try await encryption.unlock(password: password)
      try await setup.showKey(of: folder, password)
    case .replace:
      try encryption.replace()
      try await setup.unlock(folder)
      setup.tellKey(of: folder)
    case .compare:
      // gocryptfs ends with an `encrypt` that is killed while it starts.
      if folder.state == .dead { _ = try await folder.lock(environment) }
      if folder.state != .unlocked { try await setup.unlock(folder) }
      setup.tellKey(of: folder)
    }
    try await encryption.compare()
    withExtendedLifetime(turn) {}
    Console.print(localized("Encrypted: \(Console.escapedOnTerminal(root))"))
    let journal = try Journal(root: folder.root, environment: environment)
    try await KeyCommand.tellOutside(of: journal, common)
    let plain = encryption.plainFolder
    common.printNotice(
      paragraph: localized(
        "The plain files are in \(Console.escaped(plain)). To remove them is not to erase them: an SSD, "
          + "a snapshot or a backup may keep what was there."))
    guard Console.canPrompt,
      Console.confirm(localized("Remove the plain files now?"), preset: false)
    else {
      return common.printNotice(
        localized("When you no longer need them: rm -r \(shellWord(plain))"))
    }
    try await encryption.removePlainFolder()
  }
}
