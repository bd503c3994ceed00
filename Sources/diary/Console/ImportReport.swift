import DiaryCore
import DiaryKit
import Foundation
import Localization

/// The report of an import or of a dry run.
struct ImportReport {
  private let outcome: ImportOutcome
  private let common: CommonOptions
  /// The maximum number of differences that are listed.
  private static let maxListed = 20

  init(_ outcome: ImportOutcome, _ common: CommonOptions) {
    (self.outcome, self.common) = (outcome, common)
  }

  /// Prints the result on standard output, the comparison and the differences on standard error.
  func print() {
    let copies = outcome.added.compactMap { ConflictCopy($0) }
    let count = outcome.added.count - copies.count
    var line =
      count == 0
      ? localized("Imported 0 entries")
      : localized("Imported \(counted(count, "entry", "entries"))")
    if !outcome.updated.isEmpty {
      line += localized(", \(outcome.updated.count) changed since the last import")
    }
    if outcome.alreadyImported > 0 {
      line += localized(", \(grouped(outcome.alreadyImported)) already here")
    }
    if outcome.deletedLocally > 0 {
      line += localized(", \(outcome.deletedLocally) deleted here since")
    }
    Console.print(line + ".")
    SaveReport.printConflictCopies(copies, common)
    for path in outcome.conflicts {
      Console.printNotice(localized("\(path.text) has both versions of a passage; please check it"))
    }
    printDifferences()
    if outcome.undated > 0 {
      common.printNotice(
        counted(
          outcome.undated, "entry of the source has no date.", "entries of the source have no date."
        ))
    }
    guard !outcome.added.isEmpty else { return }
    let (sourceCounts, journalCounts) = (
      outcome.sourceTally.text(besides: outcome.journalTally),
      outcome.journalTally.text(besides: outcome.sourceTally)
    )
    common.printNotice(
      sourceCounts == journalCounts
        ? localized("Compared with the source: no differences (\(journalCounts)).")
        : localized(
          "Compared with the source: \(journalCounts) here, \(sourceCounts) in the source."))
  }

  /// Prints a table of the planned import.
  func printPlan() {
    var rows = [(localized("Format"), outcome.formats.joined(separator: ", "))]
    rows.append((localized("New entries"), grouped(outcome.added.count)))
    if !outcome.updated.isEmpty {
      rows.append((localized("Changed in source"), grouped(outcome.updated.count)))
    }
    if outcome.alreadyImported > 0 {
      rows.append((localized("Already here"), grouped(outcome.alreadyImported)))
    }
    if outcome.deletedLocally > 0 {
      rows.append((localized("Deleted here"), grouped(outcome.deletedLocally)))
    }
    rows.append((localized("Words with titles"), grouped(outcome.sourceTally.words)))
    rows.append((localized("Characters"), grouped(outcome.sourceTally.characters)))
    rows.append((localized("Pictures"), grouped(outcome.sourceTally.pictures)))
    if outcome.otherFiles > 0 {
      rows.append((localized("Other files"), grouped(outcome.otherFiles)))
    }
    if let days = outcome.days {
      rows.append((localized("Days"), "\(grouped(days.count)) (\(days.first) – \(days.last))"))
    }
    if outcome.undated > 0 {
      rows.append((localized("Without a date"), grouped(outcome.undated)))
    }
    rows.append((localized("With tags"), grouped(outcome.tagged)))
    if !outcome.extraFields.isEmpty {
      rows.append((localized("Kept in the header"), Self.list(outcome.extraFields)))
    }
    if !outcome.skipped.isEmpty {
      rows.append(
        (
          localized(
            "Not imported"), Self.list(outcome.skipped)
        ))
    }
    let width = rows.map { displayWidth($0.0) }.max() ?? 0
    for (name, value) in rows {
      let blanks = String(repeating: " ", count: width - displayWidth(name) + 2)
      Console.print(name + blanks + value)
    }
    printDifferences()
  }

  private func printDifferences() {
    for note in outcome.notices { common.printNotice(note) }
    for difference in outcome.differences.prefix(Self.maxListed) { Console.printNotice(difference) }
    let more = outcome.differences.count - Self.maxListed
    if more > 0 { Console.printNotice(localized("… and \(more) more differences")) }
  }

  private static func list(_ counts: [String: Int]) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) (\($0.value))" }
      .joined(separator: ", ")
  }
}
