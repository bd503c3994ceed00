// EntryFormats: how other programs write entries. Pure functions: bytes in, values out.
// DiaryKit's import hands the bytes of a foreign file in and makes entries of what comes out.
// Never touches a disk, a clock or a setting; never guesses: what is not as the format says is an
// error that names its line and column, so that nothing is imported half.

import DiaryCore
import Foundation
import Localization

/// One entry of another program, before it has a path.
package struct ImportedEntry: Sendable, Equatable {
  /// As it was written; may be empty.
  package var title = ""
  /// Markdown; line ends are kept.
  package var body = ""
  /// A whole file of Markdown with its header, byte by byte, in place of the body.
  package var bytes: [UInt8]?
  /// When it was written; `nil` when the source does not say.
  package var date: EntryDate?
  /// The date in the source's own words, the same on every device.
  package var writtenDate = ""
  /// Without `#`, in the source's order.
  package var tags: [String] = []
  /// Marked as a favourite.
  package var isStarred = false
  /// What the sky was like, if the source says.
  package var weather: ImportedWeather?
  /// A name, or coordinates.
  package var place: String?
  /// What else the source says of it: keys and values for the header, in its order.
  package var fields: [ImportedField] = []
  /// The pictures and other files that belong to it.
  package var attachments: [ImportedAttachment] = []
  /// What the source calls it for ever, such as `dayone/UUID`; `nil` when it has no such name.
  package var sourceID: String?
  /// The name is made of the date, for the program gives none: another journal of the same program may
  /// have another entry of that name.
  package var hasDateBasedID = false
  /// The file that it stands in, for messages; empty when there is one file only.
  package var file = ""
  /// Where it begins in the file, 1 for the first line.
  package var line = 1
  /// The path that a file of a folder keeps; `nil` where the journal's layout decides.
  package var path: String?
  /// The files that it links to keep their paths, too, and its links stay as they are.
  package var hasFixedPath: Bool { path != nil }

  /// An entry with nothing in it.
  package init() {}
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

/// The weather as another program tells it.
package struct ImportedWeather: Sendable, Equatable {
  /// The condition in its words, such as `Mostly Sunny`.
  package var conditionText: String?
  /// Degrees Celsius.
  package var celsius: Double?

  package init(conditionText: String?, celsius: Double?) {
    self.conditionText = conditionText
    self.celsius = celsius
  }

  /// What stands in the header: the group that the words name, else the words; and the temperature
  /// with at most one decimal in the journal's units. `nil` when nothing is known.
  package func text(in units: Units) -> String? {
    let condition =
      conditionText.flatMap(Condition.init(foreign:))?.rawValue ?? conditionText.map(oneLine)
    let degrees = celsius.map { units == .imperial ? $0 * 9 / 5 + 32 : $0 }
    let temperature = degrees.map { degrees -> String in
      let tenths = (min(max(degrees, -999), 999) * 10).rounded() / 10
      let number = tenths == tenths.rounded() ? String(Int(tenths)) : String(tenths)
      return number + (units == .imperial ? "°F" : "°C")
    }
    let parts = [condition, temperature].compactMap(\.self).filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// A file that belongs to an entry.
package struct ImportedAttachment: Sendable, Equatable {
  /// The names that it may have in the source, the likeliest first.
  package var names: [String]
  /// The name that its copy gets.
  package var fileName: String
  /// What stands for it in the body: a link's whole text. It is replaced by the link to the copy;
  /// where it does not stand there, the link is added below the text. Empty: always below.
  package var placeholder: String
  /// The bytes, where the source holds them within the entry.
  package var data: [UInt8]?
  /// It is a picture that a count of pictures counts.
  package var isPicture: Bool { isPictureName(fileName) }

  package init(names: [String], fileName: String, placeholder: String = "", data: [UInt8]? = nil) {
    self.names = names
    self.data = data
    self.fileName = fileName
    self.placeholder = placeholder
  }
}

/// All that a source gives.
package struct ImportedBatch: Sendable, Equatable {
  package var entries: [ImportedEntry] = []
  /// What has no place in an entry, and how often it was left out.
  package var skipped: [String: Int] = [:]
  /// Sentences for the user on how it was read.
  package var notices: [String] = []
  package init(entries: [ImportedEntry] = []) { self.entries = entries }

  mutating func addSkipped(_ what: String) { skipped[what, default: 0] += 1 }
}

/// The files that are imported from: a folder, an archive, one file, or standard input.
package protocol ImportFiles: AnyObject {
  /// Their paths, parts parted by `/`, in order.
  var names: [String] { get }
  /// A text file's bytes as UTF-8, whatever its encoding was.
  func text(of name: String) throws -> [UInt8]
  /// The first bytes of a file, as they are.
  func beginning(of name: String) throws -> [UInt8]
}

/// What the readers must know of the journal.
package struct ImportOptions: Sendable {
  /// The zone of dates that tell none.
  package var zone: TimeZone

  package init(zone: TimeZone) { self.zone = zone }
}

/// Why a foreign file cannot be read.
package struct ImportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The file or item of the source; `nil` where there is one only.
  package var file: String?
  /// 1 for the first line.
  package let line: Int
  /// 1 for the first character (Unicode scalar) of the line.
  package let column: Int
  /// The entry that is concerned, 1 for the first; `nil` outside of all.
  package let position: Int?
  /// A clause, such as `"title" is missing`.
  package let reason: String

  /// One sentence with line and column; the caller names the file.
  package var description: String {
    let place = (file.map { "\"\($0)\": " } ?? "") + localized("line \(line), column \(column)")
    return position.map { localized("\(place), entry \($0): \(reason)") } ?? "\(place): \(reason)"
  }
}

extension ImportError {
  /// An error at a line; `column` 1 for its first character.
  init(line: Int, column: Int = 1, _ reason: String) {
    self.init(file: nil, line: line, column: column, position: nil, reason: reason)
  }

  /// The same error, which names the file.
  package func inFile(_ name: String) -> ImportError {
    var error = self
    error.file = file ?? name
    return error
  }
}

/// Whether a file of this name is a picture that Markdown shows.
package func isPictureName(_ name: String) -> Bool {
  ["jpg", "jpeg", "png", "gif", "webp", "heic", "heif", "avif", "svg", "bmp", "tif", "tiff"]
    .contains((name as NSString).pathExtension.lowercased())
}

/// A text on one line: blanks and line ends become single blanks.
func oneLine(_ text: String) -> String {
  text.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
}
