import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The counts of a set of entries. They are made both for the source and for the journal after the
/// import.
package struct ImportTally: Sendable, Equatable {
  package var entries = 0
  /// Words, separated by white space, of titles and texts.
  package var words = 0
  /// Unicode scalars that are not white space.
  package var characters = 0
  package var pictures = 0
  /// The elements of texts that were in another markup.
  package var structure = TextStructure()

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

  /// True for Unicode's `White_Space`. The library's tables are too slow for millions of scalars.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F,
      0x3000:
      true
    default: false
    }
  }

  /// The counts in words. Elements that neither tally has are left out.
  package func text(besides other: ImportTally) -> String {
    let elements = structure.text(besides: other.structure)
    return counted(words, "word with titles", "words with titles") + ", "
      + counted(characters, "character", "characters") + ", "
      + counted(pictures, "picture", "pictures") + (elements.isEmpty ? "" : ", " + elements)
  }

  static func + (left: ImportTally, right: ImportTally) -> ImportTally {
    var sum = left
    sum.entries += right.entries
    sum.words += right.words
    sum.characters += right.characters
    sum.pictures += right.pictures
    sum.structure = left.structure + right.structure
    return sum
  }
}

/// The result of an import or of a dry run.
package struct ImportOutcome: Sendable {
  /// The titles of the source formats.
  package var formats: [String] = []
  /// The new entries, in the order of the source.
  package var added: [EntryPath] = []
  /// The entries that were imported before and have changed in the source since.
  package var updated: [EntryPath] = []
  /// Entries that were changed on both sides and now contain both versions of a conflict.
  package var conflicts: [EntryPath] = []
  /// Items that were imported before.
  package var alreadyImported = 0
  /// Items whose entries were deleted here since. They stay deleted.
  package var deletedLocally = 0
  /// The counts of the new entries, in the source and in the journal.
  package var sourceTally = ImportTally()
  package var journalTally = ImportTally()
  /// The first and last day of the imported items, and the number of days.
  package var days: (first: Day, last: Day, count: Int)?
  /// The items without a date, and those with tags in the header.
  package var undated = 0
  package var tagged = 0
  /// True if words of the texts with an `@` before them are tags.
  package var hasAtTags = false
  /// Copied files that are not pictures.
  package var otherFiles = 0
  /// The differences between source and journal, one sentence each.
  package var differences: [String] = []
  /// Data of the source that an entry cannot contain, with the number of occurrences.
  package var skipped: [String: Int] = [:]
  /// Header keys for data without a standard key, with the number of occurrences.
  package var extraFields: [String: Int] = [:]
  /// Messages about how the source was read.
  package var notices: [String] = []
  /// The result of the save.
  package var save = SaveOutcome()
}

extension ImportOutcome {
  /// Returns the counts of an item whose file links are already replaced.
  static func tally(of entry: PlannedEntry) -> ImportTally {
    var tally = ImportTally()
    tally.entries = 1
    let text = entry.item.bytes.map { EntryText($0) }
    // A title in the first line is a part of the body.
    tally.count(text.map { $0.string("title") ?? "" } ?? entry.item.title)
    tally.count(text?.body ?? entry.item.body)
    for line in entry.item.headerLines { tally.count(line.text) }
    tally.pictures = Set(entry.item.attachments.filter(\.isPicture).map(\.names)).count
    if let structure = entry.item.structure { tally.structure = structure.source }
    return tally
  }

  /// Adds a difference if the text lost elements of the source's markup.
  mutating func compareStructure(of entry: PlannedEntry) {
    guard let structure = entry.item.structure, structure.markdown != structure.source else {
      return
    }
    let here = structure.markdown.text(besides: structure.source, onlyDifferent: true)
    let source = structure.source.text(besides: structure.markdown, onlyDifferent: true)
    differences.append(localized("\(entry.path.text): \(here) here, \(source) in the source"))
  }

  /// Returns whether the header has a line of the source: as a field, as tags, or as the date, if
  /// the line says nothing else.
  private static func hasLine(
    _ line: HeaderLine, of item: ImportedEntry, in text: EntryText
  ) -> Bool {
    func tags(_ list: String) -> Set<String> {
      Set(list.split(separator: ",").map { $0.filter { !$0.isWhitespace } })
    }
    let isField = text.fields.contains {
      $0.key.lowercased().contains(line.key) && text.string($0.key) == line.value
    }
    return isField || tags(text.string("tags") ?? "").isSuperset(of: tags(line.value))
      || line.date(in: .gmt) != nil && text.string("date") == item.date?.description
  }

  /// Reads the new entries from disk and compares their counts with the source.
  mutating func compare(_ new: [PlannedEntry], in folder: JournalFolder) {
    for entry in new {
      let expected = Self.tally(of: entry)
      sourceTally = sourceTally + expected
      var found = ImportTally()
      if let structure = entry.item.structure { found.structure = structure.markdown }
      compareStructure(of: entry)
      if let file = (try? folder.read(entry.path)) ?? nil {
        let text = EntryText(file.bytes)
        found.entries = 1
        if entry.item.bytes != nil || (entry.item.path == nil && !entry.item.title.isEmpty) {
          found.count(text.string("title") ?? "")
        } else {
          found.count(entry.item.title)
        }
        found.count(text.body)
        for line in entry.item.headerLines where Self.hasLine(line, of: entry.item, in: text) {
          found.count(line.text)
        }
      }
      found.pictures = entry.files.count { $0.isPicture && folder.hasFile($0.path) }
      otherFiles += entry.files.count { !$0.isPicture && folder.hasFile($0.path) }
      journalTally = journalTally + found
      if found.words != expected.words || found.characters != expected.characters {
        differences.append(
          localized(
            "\(entry.path.text): \(found.words) words and \(found.characters) characters "
              + "here, \(expected.words) and \(expected.characters) in the source"
          ))
      }
    }
  }
}
