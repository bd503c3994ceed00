import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// A journal that is exported and imported into an empty one stays equal.
@Suite struct RoundTripTests {
  private static let files = [
    "2026/11/2026-11-20-river.md":
      "---\ntitle: \"The river: frozen\"   # why\ndate: 2026-11-20T21:04:00+09:00\ntags: [winter, 두 단어]\n"
      + "weather: Snow, -2°C\nplace: 서울\nmood: 좋음\nlist:\n  - one\n---\n\nIt froze. ![ice](ice.png)\n",
    "2026/11/2026-11-20-river-2.md":
      "---\ntitle: \"The river: frozen\"\ndate: 2026-11-20T21:04:00+09:00\n---\n\nThe same hour.\n",
    "2026/11/2026-11-21-snow.md":
      "---\r\ndate: 2026-11-21\r\n---\r\n# 눈이 왔다\r\n\r\nدفتر 新宿 Дом 🎉👨‍👩‍👧‍👦\r\n",
    "2026/10/words.md":
      "---\ntitle: Signs\ndate: 2026-10-01T08:00:00+09:00\nstarred: true\n---\n\nC:\\Users\\me and \\* 1\\. a\\_b\n"
      + "\n- [ ] task\n\n```\ncode \\. x\n```\n",
    "2025/01/2025-01-01-1200.md": "\u{FEFF}---\ndate: 2025-01-01T12:00:00+09:00\n---\nOnly a line",
    "notes.md": "No date, no header.\n", "empty.md": "",
  ]
  private static let picture: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 1, 2, 3,
  ]

  /// The journal, exported and imported into an empty one.
  private func roundTrip(
    _ format: ExportFormat, named name: String, as imported: String? = nil
  ) async throws -> (old: TestJournal, new: TestJournal, outcome: ImportOutcome) {
    let old = try await TestJournal(Self.files)
    try Data(Self.picture).write(
      to: URL(fileURLWithPath: old.home.homePath + "/j/2026/11/ice.png"))
    let journal = try old.journal()
    let out = old.home.homePath + "/" + name
    _ = try await journal.transfer.export(
      try await journal.catalog.list(), as: format, to: .path(out, replacing: false),
      ExportOptions(locale: UserLocale(named: "C"))
    ) { _, _ in }
    let new = try await TestJournal([:])
    let target = try new.journal()
    let reading = try target.transfer.readImport(
      [try ImportSource(out, for: target)], format: imported)
    let outcome = try await target.transfer.importEntries(reading) { _, _, _ in }
    return (old, new, outcome)
  }

  @Test(arguments: [
    (ExportFormat.json, "out.json", nil), (.jsonl, "out.jsonl", nil), (.folder, "out", "markdown"),
  ])
  func `every file is restored byte for byte at its path`(
    _ format: ExportFormat, _ name: String, _ imported: String?
  ) async throws {
    let (_, new, outcome) = try await roundTrip(format, named: name, as: imported)
    #expect(outcome.added.count == Self.files.count)
    for (path, text) in Self.files {
      let file = URL(fileURLWithPath: new.home.homePath + "/j/" + path)
      #expect((try? Data(contentsOf: file)).map { Array($0) } == Array(text.utf8), "\(path)")
    }
    let copy = try Data(contentsOf: URL(fileURLWithPath: new.home.homePath + "/j/2026/11/ice.png"))
    #expect(Array(copy) == Self.picture)
  }

  @Test(arguments: [(ExportFormat.jrnl, "out.txt"), (.dayone, "out.zip")])
  func `everything that another program's format supports is restored`(
    _ format: ExportFormat, _ name: String
  ) async throws {
    let (old, new, _) = try await roundTrip(format, named: name)
    func descriptions(_ world: TestJournal) async throws -> [String] {
      let journal = try world.journal()
      return try await journal.catalog.list().filter { $0.date != nil }.map { entry in
        let text = try journal.catalog.text(of: entry.path)
        var body = text.splitBody(at: entry.path, settings: Settings()).bodyBelowTitle
        // The new journal chooses the names of picture files.
        body.replace(/!\[[^\]]*\]\([^)]*\)/, with: "")
        let lines = body.split(whereSeparator: \.isNewline)
          .filter { !$0.hasPrefix("@") && !$0.allSatisfy(\.isWhitespace) }
          .map { $0.trimmingCharacters(in: .whitespaces) }
        let zone = format == .jrnl ? "" : " \(entry.date?.instant ?? 0)"
        return "\(entry.day?.description ?? "") \(entry.date?.clock ?? "")\(zone) \(entry.title): "
          + lines.joined(separator: "/")
      }.sorted()
    }
    #expect(try await descriptions(new) == descriptions(old))
  }

  @Test func `entries imported from Day One are exported to Day One unchanged`() async throws {
    let entry = #"""
      {"uuid":"0123456789ABCDEF0123456789ABCDEF","text":"# Snow\n\nIt snowed.","isAllDay":false,
       "creationDate":"2025-01-01T00:05:00Z","modifiedDate":"2025-02-01T00:00:00Z",
       "timeZone":"America/New_York","starred":true,"isPinned":true,"tags":["winter walk"],
       "creationDevice":"Phone","creationDeviceModel":"iPhone15,2","creationOSVersion":"17.1",
       "editingTime":61.25,"duration":90,"userActivity":{"activityName":"Walking","stepCount":1200},
       "weather":{"conditionsDescription":"Mostly Sunny","temperatureCelsius":-3.4,"windBearing":330,
                  "weatherCode":"mostly-clear","moonPhase":0.12},
       "location":{"placeName":"Park","localityName":"서울","country":"대한민국","userLabel":"Home",
                   "latitude":37.53,"longitude":126.93,"timeZoneName":"Asia/Seoul"}}
      """#
    let world = try await TestJournal([:])
    try world.home.write("{\"entries\":[\(entry)]}", to: "Journal.json")
    let journal = try world.journal()
    let out = world.home.homePath + "/x.zip"
    _ = try await journal.transfer.importEntries(
      try journal.transfer.readImport(
        [try ImportSource(world.home.homePath + "/Journal.json", for: journal)],
        format: nil)
    ) { _, _, _ in }
    _ = try await journal.transfer.export(
      try await journal.catalog.list(), as: .dayone, to: .path(out, replacing: false),
      ExportOptions(locale: UserLocale(named: "C"))
    ) { _, _ in }
    try await world.home.run("unzip", ["-q", "x.zip", "-d", "x"])
    func entries(_ text: String) throws -> NSDictionary {
      let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary
      return try #require((object?["entries"] as? [NSDictionary])?.first ?? object)
    }
    let back = try entries(try world.home.read("x/Journal.json"))
    #expect(back == (try entries(entry)), "\(back)")
  }
}
