// EntryFormats: the file formats of other programs. Pure functions from bytes to values.
// DiaryKit's import passes the bytes of a foreign file and creates entries from the results.
// It uses no disk, clock or setting, and it never guesses: invalid content is an error with its
// line and column, so that no import is incomplete.

import DiaryCore
import Foundation
import Localization

/// One entry of another program, before it has a path.
package struct ImportedEntry: Sendable, Equatable {
  /// The title as it was written; may be empty.
  package var title = ""
  /// Markdown with its line ends.
  package var body = ""
  /// The elements of the text in the source's markup and in the body; `nil` if both are the same
  /// text.
  package var structure: StructureComparison?
  /// A whole Markdown file with its header, byte by byte, used instead of the body.
  package var bytes: [UInt8]?
  /// The date of the entry; `nil` if the source has none.
  package var date: EntryDate?
  /// The date as written in the source, the same on every device.
  package var writtenDate = ""
  /// The tags without `#`, in the source's order.
  package var tags: [String] = []
  /// True if the entry has tags; a whole file has its own.
  package var isTagged: Bool { !tags.isEmpty || hasOwnTags }
  var hasOwnTags = false
  /// True for a favourite.
  package var isStarred = false
  /// The weather, if the source has it.
  package var weather: ImportedWeather?
  /// A name, or coordinates.
  package var place: String?
  /// Other data of the source: keys and values for the header, in its order.
  package var fields: [ImportedField] = []
  /// The lines of the source's text that the header has instead of the body.
  package var headerLines: [HeaderLine] = []
  /// The pictures and other files of the entry.
  package var attachments: [ImportedAttachment] = []
  /// The permanent ID of the entry, such as `dayone/UUID`; `nil` if there is none.
  package var sourceID: String?
  /// True if the ID is made from the date, because the program has no IDs. Another journal of the
  /// same program may have a different entry with that ID.
  package var hasDateBasedID = false
  /// The file that contains the entry, for messages; empty if there is only one file.
  package var file = ""
  /// The line on which the entry starts, from 1.
  package var line = 1
  /// The path of a file from a folder; `nil` if the journal's layout decides.
  package var path: String?
  /// True if the files that it links to also keep their paths, and its links are not changed.
  package var hasFixedPath: Bool { path != nil }

  /// Creates an empty entry.
  package init() {}

  /// Sets the body to a text that was HTML.
  mutating func setBody(_ page: HTMLMarkdown) {
    body = page.markdown
    structure = StructureComparison(source: page.structure, markdown: body)
  }
}

/// A header key of an imported entry and its value.
package struct ImportedField: Sendable, Equatable {
  package let key: String
  package let value: FieldValue

  package init(_ key: String, _ value: FieldValue) {
    self.key = key
    self.value = value
  }
}

/// A line `Name: value` of a source's text.
package struct HeaderLine: Sendable, Equatable {
  package let name: String
  package let value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }

  package var text: String { value.isEmpty ? name + ":" : name + ": " + value }
  /// The header key for the name.
  package var key: String { headerKey(name.lowercased()) }

  /// The date, if the value is a date and nothing else. A number alone is more likely an ID.
  package func date(in zone: TimeZone) -> EntryDate? {
    guard !value.allSatisfy(\.isNumber) else { return nil }
    // Notion writes a zone in brackets.
    return EntryDate(
      written: value.filter { !"()".contains($0) }, zone: zone, allowsMore: false)
  }
}

/// The weather according to another program.
package struct ImportedWeather: Sendable, Equatable {
  /// The text of the condition, such as `Mostly Sunny`.
  package var conditionText: String?
  /// Degrees Celsius.
  package var celsius: Double?

  package init(conditionText: String?, celsius: Double?) {
    self.conditionText = conditionText
    self.celsius = celsius
  }

  /// Returns the header's text: the condition that the text names, or the text itself, and the
  /// temperature with at most one decimal in the journal's units. `nil` if both are unknown.
  package func text(in units: Units) -> String? {
    let degrees = celsius.map { units == .imperial ? $0 * 9 / 5 + 32 : $0 }
    let temperature = degrees.map { degrees -> String in
      let tenths = (min(max(degrees, -999), 999) * 10).rounded() / 10
      let number = tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
      return number + (units == .imperial ? "°F" : "°C")
    }
    let parts = [condition, temperature].compactMap(\.self).filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }

  /// Returns whether the header's text has these words for the condition.
  func contains(_ words: String) -> Bool {
    condition?.lowercased() == withSingleBlanks(words).lowercased()
  }

  private var condition: String? {
    conditionText.flatMap(Condition.init(foreign:))?.rawValue ?? conditionText.map(withSingleBlanks)
  }
}

/// A file of an entry.
package struct ImportedAttachment: Sendable, Equatable {
  /// The possible names in the source, the most likely first.
  package var names: [String]
  /// The name of the copy.
  package var fileName: String
  /// The whole text of the link in the body, which is replaced by a link to the copy. If the body
  /// does not contain it, or if it is empty, the link is added below the text.
  package var placeholder: String
  /// The bytes, if the source contains them within the entry.
  package var data: [UInt8]?
  /// True for pictures.
  package var isPicture: Bool { isPictureName(fileName) }

  package init(names: [String], fileName: String, placeholder: String = "", data: [UInt8]? = nil) {
    self.names = names
    self.data = data
    self.fileName = fileName
    self.placeholder = placeholder
  }
}

/// The content of a source.
package struct ImportedBatch: Sendable, Equatable {
  package var entries: [ImportedEntry] = []
  /// Data that an entry cannot contain, with the number of occurrences.
  package var skipped: [String: Int] = [:]
  /// Messages for the user about how the source was read.
  package var notices: [String] = []
  /// True if words of its texts with an `@` before them are tags.
  package var hasAtTags: Bool = false
  package init(entries: [ImportedEntry] = []) { self.entries = entries }

  mutating func addSkipped(_ what: String) { skipped[what, default: 0] += 1 }
}

/// The files of an import: a folder, an archive, one file, or standard input.
package protocol ImportFiles: AnyObject {
  /// The paths of the files with `/` as separator, in order.
  var names: [String] { get }
  /// True for an archive.
  var isArchive: Bool { get }
  /// Returns the bytes of a text file as UTF-8, converted from its encoding.
  func text(of name: String) throws -> [UInt8]
  /// Returns the first bytes of a file unchanged.
  func beginning(of name: String) throws -> [UInt8]
}

/// The data of the journal that the readers need.
package struct ImportOptions: Sendable {
  /// The zone of dates without one.
  package var zone: TimeZone

  package init(zone: TimeZone) { self.zone = zone }
}

/// An error in a foreign file.
package struct ImportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file or item of the source; `nil` if there is only one.
  package var file: String?
  /// The line, from 1.
  package let line: Int
  /// The column in Unicode scalars, from 1.
  package let column: Int
  /// The number of the entry, from 1; `nil` outside of all entries.
  package let position: Int?
  /// A clause, such as `"title" is missing`.
  package let reason: String

  /// One sentence with line and column. The caller adds the file.
  package var description: String {
    let place = (file.map { "\"\($0)\": " } ?? "") + localized("line \(line), column \(column)")
    return position.map { localized("\(place), entry \($0): \(reason)") } ?? "\(place): \(reason)"
  }
}

extension ImportError {
  /// Creates an error for a line. Column 1 is its first character.
  init(line: Int, column: Int = 1, _ reason: String) {
    self.init(file: nil, line: line, column: column, position: nil, reason: reason)
  }

  /// Returns the error with the name of its file.
  package func inFile(_ name: String) -> ImportError {
    var error = self
    error.file = file ?? name
    return error
  }
}

/// Returns whether a file name has the extension of a picture that Markdown can show.
package func isPictureName(_ name: String) -> Bool {
  ["jpg", "jpeg", "png", "gif", "webp", "heic", "heif", "avif", "svg", "bmp", "tif", "tiff"]
    .contains((name as NSString).pathExtension.lowercased())
}
