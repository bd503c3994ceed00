import DiaryCore
import EntryIndex
import Foundation
import Testing

/// A journal in memory: the results of a scan and of reading.
struct InMemoryJournal {
  var entries: [EntryPath: ReadEntry] = [:]
  var clock: Int64 = 1_000_000_000_000

  /// Writes a file and advances the clock so far that its signature is reliable.
  mutating func write(_ entry: Entry) {
    clock += 3_000_000_000
    let stamp = FileSignature(
      size: Int64(entry.body.utf8.count + entry.header.utf8.count), modified: clock,
      inode: UInt64.max - UInt64(clock / 1_000_000_000), mode: 0o100644)
    entries[entry.path] = ReadEntry(entry: entry, signature: stamp, readAt: clock)
    clock += 3_000_000_000
  }

  mutating func write(_ made: [Entry]) { for entry in made { write(entry) } }

  mutating func remove(_ path: EntryPath) {
    clock += 3_000_000_000
    entries[path] = nil
  }

  var files: [FoundFile] {
    entries.keys.sorted().compactMap { path in
      entries[path].map {
        FoundFile(
          path: path, signature: $0.signature, statusChangedAt: $0.signature.modified)
      }
    }
  }

  func read(_ paths: [EntryPath]) -> [ReadEntry] {
    paths.compactMap { path in
      entries[path].map { ReadEntry(entry: $0.entry, signature: $0.signature, readAt: clock) }
    }
  }

  @discardableResult
  func update(_ catalog: EntryIndexDatabase) throws -> IndexChange {
    try catalog.update(files: files, read: read)
  }
}

/// A temporary folder for one test, removed at its end.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/diary-é-일기-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of the test's index.
  var index: String { path + "/cache/index.sqlite" }

  func open(version: String = "1") throws -> EntryIndexDatabase {
    try EntryIndexDatabase.open(at: index, version: version)
  }

  /// The database file that the symbolic link points to.
  var database: String {
    get throws {
      path + "/cache/" + (try FileManager.default.destinationOfSymbolicLink(atPath: index))
    }
  }
}

func path(_ text: String) throws -> EntryPath { try #require(EntryPath(text)) }

/// An entry with these values; the date is `2026-11-21` or `2026-11-21 21:04`.
func entry(
  _ name: String, _ title: String, date: String? = nil, body: String = "", tags: [String] = [],
  weather: String? = nil, header: String = "", isStarred: Bool = false
) throws -> Entry {
  var written: EntryDate?
  if let date {
    let numbers = date.split { !$0.isNumber }.compactMap { Int($0) }
    let day = try #require(Day(year: numbers[0], month: numbers[1], day: numbers[2]))
    let seconds = numbers.count > 4 ? numbers[3] * 3600 + numbers[4] * 60 : nil
    written = EntryDate(date: day, seconds: seconds, offset: 9 * 3600)
  }
  return Entry(
    path: try path(name), title: title, date: written, day: written?.date,
    weather: weather.flatMap { Weather(reading: $0) }, tags: tags, place: nil,
    isStarred: isStarred, words: body.split(separator: " ").count,
    preview: String(body.prefix(200)), body: body,
    header: header, lints: [])
}

/// An index that contains these entries.
func makeIndex(_ entries: [Entry], in folder: TemporaryFolder) throws -> EntryIndexDatabase {
  var journal = InMemoryJournal()
  journal.write(entries)
  let catalog = try folder.open()
  try journal.update(catalog)
  return catalog
}
