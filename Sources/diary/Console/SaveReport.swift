import DiaryCore
import DiaryKit
import Localization

/// What a save has come to, in words.
enum SaveReport {
  static func tell(_ outcome: SaveOutcome, _ common: CommonOptions) {
    if let mended = outcome.mended { common.remark(Console.named(mended)) }
    if let commit = outcome.commit {
      let subject = commit.message.split(separator: "\n").first.map(String.init) ?? ""
      common.remark(
        localized("Saved: \(Console.named(subject)) (\(commit.id.prefix(7)))"))
    } else if let waiting = outcome.waiting {
      common.remark(
        localized(
          "Saved, but not committed yet: \(Console.named(DeferredCommit.message(of: waiting)))."))
    } else if !outcome.saved.isEmpty, outcome.stagedByWriter.isEmpty, outcome.mergedAgain.isEmpty {
      common.remark(localized("Saved; the watcher will commit it."))
    }
    for path in outcome.mergedAgain {
      common.remark(
        localized(
          "Restored and merged with a sync, because it was missing: \(Console.named(path.text)). "
            + "If you deleted it, delete it again in a minute."))
    }
    for path in outcome.stagedByWriter {
      common.remark(
        localized("Staged by you, so not in Diary's commit: \(Console.named(path.text))"))
    }
    for path in outcome.stillChanging {
      common.remark(
        localized("Not saved, because a program is still writing it: \(Console.named(path.text))"))
    }
    for saved in outcome.savedThough {
      common.remark(
        localized(
          "Saved, although it \(Console.named(saved.reason)): \(Console.named(saved.path.text))"))
    }
    for left in outcome.skipped + outcome.notFound {
      common.remark(
        localized("Not saved: \(Console.named(left.path.text)) \(Console.named(left.reason))"))
    }
    conflictCopies(outcome.conflictCopies, common)
    guard !outcome.missing.isEmpty else { return }
    for path in outcome.missing.prefix(5) {
      common.remark(localized("Missing: \(Console.named(path.text))"))
    }
    if outcome.missing.count > 5 {
      common.remark(localized("  and \(outcome.missing.count - 5) more"))
    }
    missing(files: outcome.missing.count, common)
  }

  static let conflictCopyHint =
    localized(
      "hint: `diary check --fix` merges a conflict copy into its entry and removes the copy")

  static func conflictCopies(_ copies: [ConflictCopy], _ common: CommonOptions) {
    guard !copies.isEmpty else { return }
    for copy in copies.prefix(5) {
      common.remark(
        localized(
          "Not saved: \(Console.named(copy.path.text)) is a conflict copy of "
            + "\(Console.named(copy.original.text))"))
    }
    if copies.count > 5 { common.remark(localized("and \(copies.count - 5) more conflict copies")) }
    common.remark(conflictCopyHint)
  }

  /// That saved files or entries are missing, and what to do about it.
  static func missing(entries: Int = 0, files: Int = 0, _ common: CommonOptions) {
    let count = entries + files
    guard count > 0 else { return }
    common.remark(
      entries > 0
        ? counted(
          count,
          "saved entry is missing from the folder; Diary did not record a deletion.",
          "saved entries are missing from the folder; Diary did not record a deletion.")
        : counted(
          count,
          "saved file is missing from the folder; Diary did not record a deletion.",
          "saved files are missing from the folder; Diary did not record a deletion."))
    common.remark(
      count == 1
        ? localized(
          "hint: `diary restore --missing` brings it back; if you deleted it, use "
            + "`diary save --deletions`")
        : localized(
          "hint: `diary restore --missing` brings them back; if you deleted them, use "
            + "`diary save --deletions`"))
  }
}
