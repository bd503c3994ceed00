import DiaryCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// Exports of a journal, in process.
@Suite struct ExportTests {
  private let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0]

  private func makeJournal() async throws -> TestJournal {
    let world = try await TestJournal([
      "2026/11/2026-11-20-river.md":
        "---\ntitle: The river\ndate: 2026-11-20T21:04:00+09:00\ntags: [winter]\nmood: 좋음\n---\n\n"
        + "![ice](ice.png)\n\nIt froze.\n",
      "2026/11/2026-11-21-snow.md":
        "---\r\ndate: 2026-11-21\r\n---\r\n# 눈이 왔다\r\n\r\n![gone](gone.png) ![[ice.png]]\r\n",
      "2025/notes.md": "No date, [out](../../etc/passwd) ![x](/../x.png)\n",
    ])
    try Data(picture).write(to: URL(fileURLWithPath: world.home.homePath + "/j/2026/11/ice.png"))
    return world
  }

  private func options(_ attachments: Bool = true) -> ExportOptions {
    ExportOptions(locale: UserLocale(named: "C"), shouldIncludeAttachments: attachments)
  }

  private func bytes(_ world: TestJournal, _ format: ExportFormat) async throws -> [UInt8] {
    let journal = try world.journal()
    let taken = Mutex<[UInt8]>([])
    _ = try await journal.transfer.export(
      try await journal.catalog.list(), as: format,
      to: .output { part in taken.withLock { $0 += part } },
      options()
    ) { _, _ in }
    return taken.withLock(\.self)
  }

  @Test(arguments: ExportFormat.allCases.filter(\.isStream))
  func `equal journals and their clones give equal bytes`(
    _ format: ExportFormat
  ) async throws {
    let world = try await makeJournal()
    let first = try await bytes(world, format)
    #expect(!first.isEmpty)
    #expect(try await bytes(world, format) == first)
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "all")
    try await world.home.git("clone", "-q", "j", "k", in: "")
    try FileManager.default.moveItem(
      atPath: world.home.homePath + "/j", toPath: world.home.homePath + "/old")
    try FileManager.default.moveItem(
      atPath: world.home.homePath + "/k", toPath: world.home.homePath + "/j")
    #expect(try await bytes(world, format) == first)
  }

  @Test
  func `a site is reproducible, loads nothing external and has no broken link`()
    async throws
  {
    let world = try await makeJournal()
    try world.home.write(
      "[The river](../11/2026-11-20-river.md) #snow", to: "j/2026/10/2026-10-01-link.md")
    let journal = try world.journal()
    for name in ["one", "two"] {
      _ = try await journal.transfer.export(
        try await journal.catalog.list(), as: .site, to: .path(name, replacing: false), options()
      ) { _, _ in }
    }
    let root = URL(fileURLWithPath: world.home.homePath + "/one")
    let files = try FileManager.default.subpathsOfDirectory(atPath: root.path)
    #expect(files.contains("files/2026/11/ice.png"))
    let link = try Regex("(?:href|src)=\"([^\"]*)\"", as: (Substring, Substring).self)
    for name in files where !name.hasSuffix("/") {
      let file = root.appendingPathComponent(name)
      #expect(
        FileManager.default.contentsEqual(
          atPath: file.path, andPath: world.home.homePath + "/two/" + name)
          || file.hasDirectoryPath, "\(name)")
      guard name.hasSuffix(".html") else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(!text.contains("http:") && !text.contains("https:"))
      for found in text.matches(of: link) {
        let target = try #require(URL(string: String(found.output.1), relativeTo: file))
        #expect(
          files.contains { root.path + "/" + $0 == target.path }, "\(name): \(found.output.1)")
        guard let fragment = target.fragment(percentEncoded: false) else { continue }
        let page = try String(contentsOfFile: target.path, encoding: .utf8)
        #expect(page.contains("id=\"\(fragment)\""), "\(name): \(found.output.1)")
      }
    }
    let month = try world.home.read("one/2026/10.html")
    #expect(
      month.contains("<a href=\"../2026/11.html#2026-11-20-river\">")
        || month.contains("href=\"11.html#2026-11-20-river\""))
    #expect(try world.home.read("one/2026/11.html").contains("src=\"../files/2026/11/ice.png\""))
    #expect(try world.home.read("one/search/2026.js").contains("It froze."))
  }

  @Test func `JSON Lines contain every entry with its files`() async throws {
    let lines = try await bytes(try await makeJournal(), .jsonl).split(separator: 0x0A)
    #expect(lines.count == 3)
    let objects = try lines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line))
      return try #require(object as? [String: Any])
    }
    #expect(
      objects.map { $0["path"] as? String } == [
        "2025/notes.md", "2026/11/2026-11-20-river.md", "2026/11/2026-11-21-snow.md",
      ])
    let files = try #require(objects[1]["attachments"] as? [[String: Any]])
    #expect(files.map { $0["path"] as? String } == ["2026/11/ice.png"])
    #expect(files[0]["data"] as? String == Data(picture).base64EncodedString())
    #expect(files[0]["type"] as? String == "image/png")
    #expect((objects[0]["attachments"] as? [Any])?.isEmpty == true)
  }

  @Test func `a folder contains the files unchanged`() async throws {
    let world = try await makeJournal()
    let journal = try world.journal()
    let out = world.home.homePath + "/out"
    let outcome = try await journal.transfer.export(
      try await journal.catalog.list(), as: .folder, to: .path(out, replacing: false), options()
    ) { _, _ in }
    #expect(outcome.entries == 3)
    #expect(outcome.attachments == 1)
    #expect(
      outcome.notices == ["2026/11/2026-11-21-snow.md: the file 2026/11/gone.png does not exist"])
    let names = [
      "2025/notes.md", "2026/11/2026-11-20-river.md", "2026/11/2026-11-21-snow.md",
      "2026/11/ice.png",
    ]
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: out).filter { $0.contains(".") }.sorted()
        == names)
    for name in names {
      #expect(
        FileManager.default.contentsEqual(
          atPath: out + "/" + name, andPath: journal.root + "/" + name))
    }
  }

  @Test func `existing files are kept and no partial file is left`() async throws {
    let world = try await makeJournal()
    let journal = try world.journal()
    let entries = try await journal.catalog.list()
    let home = world.home.homePath
    func exportError(_ name: String, _ format: ExportFormat = .json, replacing: Bool = false) async
      -> String
    {
      do {
        _ = try await journal.transfer.export(
          entries, as: format, to: .path(name, replacing: replacing), options()
        ) { _, _ in }
        return "written"
      } catch { return DiaryError(error).message }
    }
    try world.home.write("mine", to: "a.json")
    try world.home.write("mine", to: "full/a.txt")
    mkfifo(home + "/pipe.json", 0o600)
    let before = try FileManager.default.subpathsOfDirectory(atPath: home)
    #expect(await exportError("a.json") == "a.json already exists")
    #expect(await exportError("full", .folder) == "the folder full is not empty")
    #expect(await exportError("full") == "full is not a regular file")
    #expect(await exportError("pipe.json", replacing: true) == "pipe.json is not a regular file")
    #expect(
      await exportError("none/a.json") == "cannot write none/a.json: No such file or directory")
    #expect(
      await exportError("j/a.json")
        == "j/a.json is inside the journal and would become a part of it")
    #expect(await exportError("j/.git/a.json").contains("inside the journal"))
    #expect(await exportError("j", .folder).contains("inside the journal"))
    let after = try FileManager.default.subpathsOfDirectory(atPath: home)
    #expect(after.filter { !$0.hasPrefix("j/.git/") } == before.filter { !$0.hasPrefix("j/.git/") })
    #expect(try world.home.read("a.json") == "mine")
    #expect(await exportError("a.json", replacing: true) == "written")
    try world.home.write("out/\n", to: "j/.gitignore")
    try FileManager.default.createDirectory(
      atPath: home + "/j/out", withIntermediateDirectories: true)
    #expect(await exportError("j/out/a.json") == "written")
  }

  @Test func `a cancelled export leaves nothing`() async throws {
    let world = try await makeJournal()
    let journal = try world.journal()
    let entries = try await journal.catalog.list()
    let before = try FileManager.default.contentsOfDirectory(atPath: world.home.homePath).sorted()
    for format in ExportFormat.allCases {
      let task = Task {
        try await journal.transfer.export(
          entries, as: format, to: .path("out", replacing: false), options()
        ) { done, _ in
          if done >= 2 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: world.home.homePath).sorted() == before)
    }
  }
}
