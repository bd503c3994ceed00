import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "restore", abstract: localized("Bring back a deleted entry or an earlier version."),
    discussion: localized(
      """
      Nothing is lost: unsaved changes are saved first, and the restored version is a new save. If \
      the file name of a deleted entry is taken, it gets another one.
      """))

  @Argument(
    help: ArgumentHelp(
      localized("A date, a path or words of a title; a number, if it is not deleted."),
      valueName: "ref"))
  var reference: [String] = []
  @Option(
    help: ArgumentHelp(
      localized("Which version: \"2026-11-20 18:00\", 3 (versions ago), or a commit."),
      valueName: "when"))
  var at: String?
  @Flag(
    help: ArgumentHelp(localized("Bring back every saved file that is missing from the folder.")))
  var missing = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if missing, !reference.isEmpty || at != nil {
      throw ValidationError(localized("--missing takes no other arguments"))
    }
    if !missing, reference.isEmpty {
      throw ValidationError(localized("name an entry, or use --missing"))
    }
  }

  func run() async throws {
    let journal = try common.open(writing: true)
    if missing { return try await restoreMissing(in: journal) }
    if reference.count == 1, JournalSetup.isArchive(reference[0], journal.environment) {
      throw DiaryError(
        localized("\(reference[0]) is a zip, not an entry"), kind: .usage,
        hint: localized(
          "`diary clone \(shellWord(reference[0]))` restores a backup to a new folder"))
    }
    let entry = try await journal.history.resolveIncludingDeleted(
      reference.joined(separator: " "))
    let outcome = try await journal.history.restore(entry, at: at)
    if outcome.isUnchanged {
      common.printNotice(
        localized("The entry is already identical to this version; nothing was changed."))
    } else {
      SaveReport.print(outcome.save, common)
      common.printNotice(
        localized(
          "Restored \"\(Console.escaped(entry.title))\" as of \(UserLocale().text(of: outcome.at))")
      )
    }
    Console.print(outcome.path, in: journal)
  }

  private func restoreMissing(in journal: Journal) async throws {
    let (paths, save) = try await journal.history.restoreMissing()
    SaveReport.print(save, common)
    for path in paths { Console.print(path, in: journal) }
    if paths.isEmpty { common.printNotice(localized("No saved file is missing.")) }
  }
}
