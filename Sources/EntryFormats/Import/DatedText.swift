import DiaryCore
import Foundation
import Localization

/// Reads plain text in which a line with only a date starts an entry, or a file that is named by
/// its date and is one entry.
func readDatedText(
  _ bytes: [UInt8], file: String, _ options: ImportOptions
) throws(ImportError) -> [ImportedEntry] {
  var entries: [ImportedEntry] = []
  var open: ImportedEntry?
  let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
  let fileDate = EntryDate(reading: stem, zone: options.zone)
  func close() {
    guard var entry = open else { return }
    entry.body = entry.body.withoutBlankEdges
    entries.append(entry)
  }
  func startEntry(_ date: EntryDate, _ written: String, _ title: String, _ line: Int) {
    close()
    var entry = ImportedEntry()
    (entry.date, entry.writtenDate, entry.title) = (date, written, title)
    (entry.file, entry.line) = (file, line)
    open = entry
  }
  var missingDateError: ImportError?
  let lines = TextLines(bytes)
  lines.forEach { range, number in
    let line = lines.text(range)
    if let (date, written, title) = datedLine(line, options.zone) {
      startEntry(date, written, title, number)
    } else if open != nil {
      open?.body += line
    } else if !trimmed(line).isEmpty {
      if let fileDate {
        let words = EntryDate.words(afterDateIn: stem)
        // A number distinguishes the files of one day and is no title.
        startEntry(fileDate, stem, words.contains(where: \.isLetter) ? words : "", number)
        open?.body = line
      } else {
        missingDateError =
          missingDateError
          ?? ImportError(
            line: number,
            localized(
              "there is no date above this text"))
      }
    }
  }
  close()
  if let missingDateError { throw missingDateError }
  return entries
}

/// Parses a line with only a date, and optionally a weekday, a time, a colon or heading marks. One
/// other word is the title.
func datedLine(_ line: String, _ zone: TimeZone) -> (EntryDate, String, String)? {
  let marks: Set<Character> = [
    "#", "=", "*", "-", "_", " ", "\t", ":", "[", "]", "\r", "\n", "\r\n",
  ]
  let bare = line.drop { marks.contains($0) }
  guard line.utf8.count < 80, !line.hasPrefix("    ") else { return nil }
  let text = trimmed(String(bare.reversed().drop { marks.contains($0) }.reversed()))
  if let date = EntryDate(onlyWritten: text, zone: zone) { return (date, text, "") }
  guard bare.first?.isNumber == true else { return nil }
  let words = text.split(separator: " ")
  guard let first = words.first, first.count >= 6, text.count < 48,
    text.filter(\.isNumber).count >= 6,
    let date = EntryDate(reading: text, zone: zone)
  else { return nil }
  // The remaining words must be a weekday, a time or a title, not the beginning of a sentence.
  let others = words.dropFirst().filter { word in !word.contains(where: \.isNumber) }
  guard others.count <= 1, others.allSatisfy({ $0.count <= 12 }) else { return nil }
  return (date, text, EntryDate.words(afterDateIn: text))
}
