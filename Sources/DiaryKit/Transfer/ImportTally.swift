import DiaryCore
import EntryFiles
import EntryFormats
import Localization

/// What entries amount to: the same is counted in what came in and in what stands in the journal
/// afterwards.
package struct ImportTally: Sendable, Equatable {
  package var entries = 0
  /// Runs of signs between blanks, of titles and texts.
  package var words = 0
  /// Signs (Unicode scalars) that are no blanks.
  package var characters = 0
  package var pictures = 0

  package init() {}

  mutating func count(_ text: some StringProtocol) {
    var isInWord = false
    for scalar in text.unicodeScalars {
      if Self.isBlank(scalar) {
        isInWord = false
      } else {
        if !isInWord { words += 1 }
        isInWord = true
        characters += 1
      }
    }
  }

  /// Unicode's `White_Space`; of millions of signs each is asked, and its tables take longer.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x3000:
      true
    default: false
    }
  }

  static func + (left: ImportTally, right: ImportTally) -> ImportTally {
    var sum = left
    sum.entries += right.entries
    sum.words += right.words
    sum.characters += right.characters
    sum.pictures += right.pictures
    return sum
  }
}

/// What an import did, or would do.
package struct ImportOutcome: Sendable {
  /// The programs and formats that it came from.
  package var formats: [String] = []
  /// The new entries, in the order of the source.
  package var added: [EntryPath] = []
  /// Entries that were imported before and have changed in the source since.
  package var updated: [EntryPath] = []
  /// Those of them that had changed here, too, and stand with both versions of something.
  package var conflicts: [EntryPath] = []
  /// Items that an earlier import has brought already.
  package var alreadyImported = 0
  /// Items whose entries were deleted here since; they stay deleted.
  package var deletedLocally = 0
  /// What came in and what stands in the journal, of the new entries.
  package var sourceTally = ImportTally()
  package var journalTally = ImportTally()
  /// The first and the last day of what came, and how many days.
  package var days: (first: Day, last: Day, count: Int)?
  /// Other files than pictures that were copied.
  package var otherFiles = 0
  /// What differs between source and journal, a sentence each.
  package var differences: [String] = []
  /// What has no place in an entry, and how often.
  package var skipped: [String: Int] = [:]
  /// Header keys that keep what has no place of its own, and how often.
  package var extraFields: [String: Int] = [:]
  /// How it was read.
  package var notices: [String] = []
  /// The commit that holds them.
  package var save = SaveOutcome()
}

extension ImportOutcome {
  /// What an item of the source amounts to, links to its files set.
  static func tally(of entry: PlannedEntry) -> ImportTally {
    var tally = ImportTally()
    tally.entries = 1
    tally.count(entry.item.title)
    tally.count(body(of: entry.item))
    tally.pictures = Set(entry.item.attachments.filter(\.isPicture).map(\.names)).count
    return tally
  }

  private static func body(of item: ImportedEntry) -> String {
    guard let bytes = item.bytes else { return item.body }
    let text = EntryText(bytes)
    return String(decoding: text.bytes[text.bodyRange], as: UTF8.self)
  }

  /// Reads the new entries back from the disk and compares them with what came.
  mutating func compare(_ new: [PlannedEntry], in folder: JournalFolder) {
    for entry in new {
      let expected = Self.tally(of: entry)
      sourceTally = sourceTally + expected
      var found = ImportTally()
      if let file = (try? folder.read(entry.path)) ?? nil {
        let text = EntryText(file.bytes)
        found.entries = 1
        if entry.item.path == nil, !entry.item.title.isEmpty {
          found.count(text.string("title") ?? "")
        } else if entry.item.path == nil || !entry.item.title.isEmpty {
          found.count(entry.item.title)
        }
        found.count(String(decoding: text.bytes[text.bodyRange], as: UTF8.self))
      }
      found.pictures = entry.files.count { $0.isPicture && folder.hasFile($0.path) }
      otherFiles += entry.files.count { !$0.isPicture && folder.hasFile($0.path) }
      journalTally = journalTally + found
      if found.words != expected.words || found.characters != expected.characters {
        differences.append(
          localized(
            "\(entry.path.text): \(found.words) words and \(found.characters) characters stand here, \(expected.words) and \(expected.characters) in the source"
          ))
      }
    }
  }
}
