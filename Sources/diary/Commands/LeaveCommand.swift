import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct LeaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "leave", abstract: localized("Remove Diary from a journal; entries and git stay."))

  @Flag(help: ArgumentHelp(localized("Do not ask.")))
  var yes = false
  @Flag(help: ArgumentHelp(localized("Keep the autosaves between commits, on refs/diary/saves.")))
  var keepSaves = false
  @Flag(help: ArgumentHelp(localized("Delete the autosaves, even those that are in no commit.")))
  var dropSaves = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if keepSaves, dropSaves {
      throw ValidationError(localized("choose one of --keep-saves and --drop-saves"))
    }
  }

  func run() async throws {
    let journal = try common.open(writing: true)
    if !yes {
      try Console.requirePrompt(hint: localized("use --yes to remove Diary from \(journal.root)"))
      common.printNotice(
        paragraph: [
          keepSaves
            ? localized("This removes .diary, the list of entries and .git/diary.")
            : localized(
              "This removes .diary, the list of entries, .git/diary and the autosaves between commits."
            ),
          dropSaves ? localized("Versions that exist only as autosaves are lost.") : nil,
          localized("Your entries and commits stay."),
        ].compactMap(\.self).joined(separator: " "))
      guard Console.confirm(localized("Continue?"), preset: false) else {
        common.printNotice(localized("Nothing was changed."))
        return
      }
    }
    let outcome = try await journal.leave(
      keepSaves ? .keep : dropSaves ? .drop : .dropIfRedundant)
    SaveReport.print(outcome.save, common)
    if !outcome.remaining.isEmpty {
      let names = outcome.remaining.prefix(5).map(\.text).joined(separator: ", ")
      common.printNotice(
        localized(
          "Not removed, because Diary did not write or cannot save it: \(Console.escaped(names))"))
    }
    for name in outcome.sealedRemotes {
      common.printNotice(
        localized(
          "The remote \"\(Console.escaped(name))\" is sealed: its key stays, and git needs "
            + "git-remote-diary for it."))
    }
    for path in outcome.movedKeys {
      common.printNotice(
        localized(
          "The key that was inside of the journal is not encrypted any more: "
            + "\(Console.escaped(path))"))
    }
    if EncryptedFolder(journal.root).state == .unlocked {
      common.printNotice(
        localized("Its files stay encrypted; `diary lock` and `diary unlock` still work."))
    }
    Console.print(
      localized("\(Console.escapedOnTerminal(journal.root)) is a plain git repository again."))
  }
}
