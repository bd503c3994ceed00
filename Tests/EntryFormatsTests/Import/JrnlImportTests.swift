import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import EntryFormats

/// Files in memory, in place of a folder or an archive.
final class MemoryFiles: ImportFiles {
  let files: [String: [UInt8]]
  let isArchive: Bool
  var names: [String] { files.keys.sorted() }

  init(_ files: [String: String], isArchive: Bool = false) {
    self.files = files.mapValues { Array($0.utf8) }
    self.isArchive = isArchive
  }

  func text(of name: String) throws -> [UInt8] { files[name] ?? [] }
  func beginning(of name: String) throws -> [UInt8] { Array((files[name] ?? []).prefix(1 << 16)) }
}

/// The time zone of the tests' journals.
let seoul = TimeZone(identifier: "Asia/Seoul") ?? .gmt

/// Recognises and reads files. Returns the format's name and the entries.
func imported(_ files: [String: String]) throws -> (format: String?, batch: ImportedBatch) {
  let source = MemoryFiles(files)
  guard let format = ImportFormat.detect(in: source) else { return (nil, ImportedBatch()) }
  return (format.name, try format.entries(of: source, ImportOptions(zone: seoul)))
}

@Suite struct JrnlImportTests {
  @Test func `text is split into entries, titles, stars and tags as in jrnl`() throws {
    let (format, batch) = try imported([
      "journal.txt": """
      [2025-01-01 09:00] First snow.
      The rain stopped. @family #winter

      - a list

      [2025-02-01 09:04:05 PM] 오늘은 산책했다. *
      둘째 줄.
      [2025-03-01 07:00] One sentence. And another one.
      [1] A footnote is no entry.
      [see below] Neither is this.

      """
    ])
    #expect(format == "jrnl")
    #expect(
      batch.entries.map(\.title) == ["First snow.", "오늘은 산책했다.", "One sentence. And another one."])
    #expect(
      batch.entries.map(\.body) == [
        "The rain stopped. @family #winter\n\n- a list", "둘째 줄.",
        "[1] A footnote is no entry.\n[see below] Neither is this.",
      ])
    #expect(batch.entries.map(\.isStarred) == [false, true, false])
    #expect(batch.entries.map(\.tags) == [["family"], [], []])
    #expect(
      batch.entries.map { $0.date?.description } == [
        "2025-01-01T09:00:00+09:00", "2025-02-01T21:04:05+09:00", "2025-03-01T07:00:00+09:00",
      ])
    #expect(batch.entries[0].sourceID == "jrnl/2025-01-01T09:00")
  }

  @Test func `a text of one line has its first sentence as title`() throws {
    let batch = try imported(["a.txt": "[2025-01-01 09:00] 東京の夜？新宿は明るかった。\n[2025-01-02 09:00] x"])
      .batch
    #expect(batch.entries[0].title == "東京の夜？")
    #expect(batch.entries[0].body == "新宿は明るかった。")
  }

  @Test func `entries of one minute have distinct ids, whatever their order`()
    throws
  {
    let one = try imported(["a.txt": "[2025-01-01 09:00] One\n[2025-01-01 09:00] Two\n"]).batch
    let two = try imported(["a.txt": "[2025-01-01 09:00] Two\n[2025-01-01 09:00] One\n"]).batch
    #expect(Set(one.entries.map(\.sourceID)) == Set(two.entries.map(\.sourceID)))
    #expect(Set(one.entries.map(\.sourceID)).count == 2)
  }

  @Test func `text above the first date is an undated entry with a notice`() throws {
    let read = try ImportFormat.jrnlText.entries(
      of: MemoryFiles(["a.txt": "Loose words.\n[2025-01-01 09:00] One\n"]),
      ImportOptions(zone: seoul))
    #expect(read.entries.map(\.body) == ["Loose words.", ""])
    #expect(read.entries[0].date == nil && read.entries[0].sourceID == nil)
    #expect(read.notices.count == 1)
  }

  @Test func `jrnl's JSON is read`() throws {
    let body = "The rain stopped. @family\n\n# A heading\n\n```\n# code\n```\n\n#winter"
    let json = """
      {"tags": {}, "entries": [{"title": "First snow.", "body": \(JSONValue.string(body).json),
      "date": "2025-01-01", "time": "09:00", "tags": ["@family", "#winter"], "starred": true}]}
      """
    let (format, batch) = try imported(["a.json": json])
    let entry = try #require(batch.entries.first)
    #expect(format == "jrnl-json" && batch.entries.count == 1)
    #expect(entry.title == "First snow." && entry.body == body && entry.isStarred)
    #expect(entry.date?.description == "2025-01-01T09:00:00+09:00")
    #expect(entry.sourceID == "jrnl/2025-01-01T09:00" && entry.tags == ["family"])
  }

  @Test func `an invalid date is an error with its position`() throws {
    let error = #expect(throws: ImportError.self) {
      try imported([
        "a.json":
          "{\"entries\": [\n{\"title\": \"\", \"body\": \"\", \"date\": \"soon\", \"time\": \"x\", \"starred\": false}]}"
      ])
    }
    #expect(error?.line == 2 && error?.position == 1)
  }
}
