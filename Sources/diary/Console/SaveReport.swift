import DiaryCore
import DiaryKit

/// What a save has come to, in words.
enum SaveReport {
  static func tell(_ outcome: SaveOutcome, _ common: CommonOptions) {
    if let mended = outcome.mended { common.remark(Console.named(mended)) }
    if let commit = outcome.commit {
      let subject = commit.message.split(separator: "\n").first.map(String.init) ?? ""
      common.remark(
        "Saved: \(Console.named(subject)) (\(commit.id.prefix(7)))")
    } else if let waiting = outcome.waiting {
      common.remark("Kept; your branch waits: \(Console.named(waiting)).")
    } else if !outcome.saved.isEmpty, outcome.stagedByWriter.isEmpty {
      common.remark("Saved; the watcher will commit it.")
    }
    for path in outcome.stagedByWriter {
      common.remark("Staged by you, so left out of Diary's commit: \(Console.named(path.text))")
    }
    for path in outcome.restless {
      common.remark("Not saved, for a program is writing it now: \(Console.named(path.text))")
    }
    for left in outcome.leftOut + outcome.notFound {
      common.remark("Not saved: \(Console.named(left.path.text)) \(Console.named(left.reason))")
    }
    conflictCopies(outcome.conflictCopies, common)
    missing(outcome.missing, common)
  }

  static let conflictCopyHint =
    "hint: `diary check --fix` merges a conflict copy into its entry and removes the copy"

  static func conflictCopies(_ copies: [ConflictCopy], _ common: CommonOptions) {
    guard !copies.isEmpty else { return }
    for copy in copies.prefix(5) {
      common.remark(
        "Not saved: \(Console.named(copy.path.text)) is a conflict copy of "
          + Console.named(copy.original.text))
    }
    if copies.count > 5 { common.remark("and \(copies.count - 5) more conflict copies") }
    common.remark(conflictCopyHint)
  }

  static func missing(_ paths: [EntryPath], _ common: CommonOptions) {
    guard !paths.isEmpty else { return }
    common.remark(
      "\(paths.count) saved \(paths.count == 1 ? "file is" : "files are") missing from the folder; "
        + "nothing was recorded as deleted.")
    for path in paths.prefix(5) { common.remark("  " + Console.named(path.text)) }
    if paths.count > 5 { common.remark("  and \(paths.count - 5) more") }
    common.remark(
      "hint: if you deleted them, `diary save --deletions`; "
        + "to have them back, `diary restore --missing`")
  }
}
