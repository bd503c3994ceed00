import DiaryCore
import DiaryKit
import Localization

/// Prints the result of a save.
enum SaveReport {
  static func print(_ outcome: SaveOutcome, _ common: CommonOptions) {
    if let repairNotice = outcome.indexRepairMessage {
      common.printNotice(Console.escaped(repairNotice))
    }
    if let commit = outcome.commit {
      common.printNotice(
        localized("Saved: \(Console.escaped(commit.subject)) (\(commit.id.prefix(7)))"))
    } else if let deferReason = outcome.deferReason {
      common.printNotice(
        localized(
          "Saved, but not committed yet: \(Console.escaped(deferReason.message))."
        ))
    } else if !outcome.saved.isEmpty, outcome.stagedByUser.isEmpty, outcome.remergedEntries.isEmpty
    {
      common.printNotice(
        outcome.isLeftToWatcher
          ? localized("Saved; the watcher will commit it.")
          : localized("Saved; there is nothing to commit."))
    }
    for path in outcome.remergedEntries {
      common.printNotice(
        localized(
          "Restored and merged with a sync, because it was missing: \(Console.escaped(path.text)). "
            + "If you deleted it, `diary restore \(Console.escaped(path.text)) --at 1` removes it.")
      )
    }
    for path in outcome.deletedAgain {
      common.printNotice(
        localized(
          "Deleted from \(Console.escaped(path.text)): text that a sync brought. "
            + "`diary restore \(Console.escaped(path.text)) --at 1` brings it back."))
    }
    for path in outcome.stagedByUser {
      common.printNotice(
        localized("Staged by you, so not in Diary's commit: \(Console.escaped(path.text))"))
    }
    for path in outcome.stillChanging {
      common.printNotice(
        localized("Not saved, because a program is still writing it: \(Console.escaped(path.text))")
      )
    }
    for saved in outcome.savedDespiteIgnore {
      common.printNotice(
        localized(
          "Saved, although it \(Console.escaped(saved.reason)): \(Console.escaped(saved.path.text))"
        ))
    }
    for skipped in outcome.skipped + outcome.missingPictures {
      common.printNotice(
        localized(
          "Not saved: \(Console.escaped(skipped.path.text)) \(Console.escaped(skipped.reason))"))
    }
    printConflictCopies(outcome.conflictCopies, common)
    guard !outcome.missing.isEmpty else { return }
    for path in outcome.missing.prefix(5) {
      common.printNotice(localized("Missing: \(Console.escaped(path.text))"))
    }
    if outcome.missing.count > 5 {
      common.printNotice(localized("  and \(outcome.missing.count - 5) more"))
    }
    printMissing(files: outcome.missing.count, common)
  }

  static let conflictCopyHint =
    localized(
      "hint: `diary check --fix` merges a conflict copy into its entry and removes the copy")

  static func printConflictCopies(_ copies: [ConflictCopy], _ common: CommonOptions) {
    guard !copies.isEmpty else { return }
    for copy in copies.prefix(5) {
      common.printNotice(
        localized(
          "Not saved: \(Console.escaped(copy.path.text)) is a conflict copy of "
            + "\(Console.escaped(copy.original.text))"))
    }
    if copies.count > 5 {
      common.printNotice(localized("and \(copies.count - 5) more conflict copies"))
    }
    common.printNotice(conflictCopyHint)
  }

  /// Names the entries, and the folders of entries, that are left out because the system does not
  /// read them.
  static func printUnreadable(
    _ entries: [SkippedFile], folders: [SkippedFile] = [], in journal: Journal,
    _ common: CommonOptions
  ) {
    for folder in folders.prefix(10) {
      common.printNotice(
        localized("\(Console.escaped(folder.path.text)) \(folder.reason); its entries are left out")
      )
    }
    for entry in entries.prefix(10) {
      common.printNotice(
        localized("\(Console.escaped(entry.path.text)) \(entry.reason), so it is left out"))
    }
    if entries.count > 10 {
      common.printNotice(localized("diary: and \(entries.count - 10) more"))
    }
    guard let first = entries.first else { return }
    let path = shellWord(journal.root + "/" + first.path.text)
    common.printNotice(localized("hint: `ls -l \(path)` shows its owner and permissions"))
  }

  /// Reports that saved files or entries are missing, with a hint how to recover them.
  static func printMissing(entries: Int = 0, files: Int = 0, _ common: CommonOptions) {
    let count = entries + files
    guard count > 0 else { return }
    common.printNotice(
      entries > 0
        ? counted(
          count,
          "saved entry is missing from the folder; Diary did not record a deletion.",
          "saved entries are missing from the folder; Diary did not record a deletion.")
        : counted(
          count,
          "saved file is missing from the folder; Diary did not record a deletion.",
          "saved files are missing from the folder; Diary did not record a deletion."))
    common.printNotice(
      count == 1
        ? localized(
          "hint: `diary restore --missing` brings it back; if you deleted it, use "
            + "`diary save --deletions`")
        : localized(
          "hint: `diary restore --missing` brings them back; if you deleted them, use "
            + "`diary save --deletions`"))
  }
}
