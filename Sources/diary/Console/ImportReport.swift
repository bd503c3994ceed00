import DiaryCore
import DiaryKit
import Foundation
import Localization

/// What an import tells at its end, or before it is done.
struct ImportReport {
  private let outcome: ImportOutcome
  private let common: CommonOptions
  /// So many differences are named one by one.
  private static let mostNamed = 20

  init(_ outcome: ImportOutcome, _ common: CommonOptions) {
    (self.outcome, self.common) = (outcome, common)
  }

  /// The result on standard output; the comparison and what differs on standard error.
  func tell() {
    var line = localized("Imported \(counted(outcome.added.count, "entry", "entries"))")
    if !outcome.updated.isEmpty {
      line += localized(", \(outcome.updated.count) changed since the last import")
    }
    if outcome.known > 0 { line += localized(", \(outcome.known) already here") }
    if outcome.deletedSince > 0 {
      line += localized(", \(outcome.deletedSince) deleted here since")
    }
    Console.say(line + ".")
    for path in outcome.keptBoth {
      Console.note(localized("\(path.text) has both versions of something; look at it"))
    }
    tellDifferences()
    guard !outcome.added.isEmpty else { return }
    let (came, stands) = (Self.counts(outcome.came), Self.counts(outcome.stands))
    common.remark(
      came == stands
        ? localized("Compared with the source: \(stands), the same.")
        : localized("Compared with the source: \(stands); \(came) there."))
  }

  private static func counts(_ tally: ImportTally) -> String {
    counted(tally.words, "word", "words") + ", "
      + counted(tally.characters, "character", "characters") + ", "
      + counted(tally.pictures, "picture", "pictures")
  }

  /// A table of what would come.
  func tellPlan() {
    var rows = [(localized("Format"), outcome.formats.joined(separator: ", "))]
    rows.append((localized("New entries"), "\(outcome.added.count)"))
    if !outcome.updated.isEmpty {
      rows.append((localized("Changed there"), "\(outcome.updated.count)"))
    }
    if outcome.known > 0 { rows.append((localized("Already here"), "\(outcome.known)")) }
    if outcome.deletedSince > 0 {
      rows.append((localized("Deleted here"), "\(outcome.deletedSince)"))
    }
    rows.append((localized("Words"), "\(outcome.came.words)"))
    rows.append((localized("Characters"), "\(outcome.came.characters)"))
    rows.append((localized("Pictures"), "\(outcome.came.pictures)"))
    if outcome.otherFiles > 0 { rows.append((localized("Other files"), "\(outcome.otherFiles)")) }
    if let days = outcome.days {
      rows.append((localized("Days"), "\(days.count) (\(days.first) – \(days.last))"))
    }
    if !outcome.keptFields.isEmpty {
      rows.append((localized("Kept in the header"), Self.list(outcome.keptFields)))
    }
    if !outcome.leftOut.isEmpty { rows.append((localized("No place"), Self.list(outcome.leftOut))) }
    let width = rows.map { displayWidth($0.0) }.max() ?? 0
    for (name, value) in rows {
      let blanks = String(repeating: " ", count: width - displayWidth(name) + 2)
      Console.say(name + blanks + value)
    }
    tellDifferences()
  }

  private func tellDifferences() {
    for note in outcome.notes { common.remark(note) }
    for difference in outcome.differences.prefix(Self.mostNamed) { Console.note(difference) }
    let more = outcome.differences.count - Self.mostNamed
    if more > 0 { Console.note(localized("… and \(more) more differences")) }
  }

  private static func list(_ counts: [String: Int]) -> String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) (\($0.value))" }
      .joined(separator: ", ")
  }
}
