import DiaryCore
import Foundation
import TestSupport
import Testing
import ZipFiles

@testable import DiaryKit

/// Exports as ZIP archives.
@Suite struct ArchiveExportTests {
  private let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0]

  private func makeJournal() async throws -> TestJournal {
    let world = try await TestJournal([
      "2026/11/2026-11-20-river.md":
        "---\ntitle: The river\ndate: 2026-11-20T21:04:00+09:00\ntags: [winter]\nweather: Snow, -2°C\n"
        + "starred: true\nsource: dayone/0123456789ABCDEF0123456789ABCDEF\n---\n\n"
        + "It froze. ![ice](<ice.png>)\n",
      "2026/11/2026-11-21-snow.md": "---\ndate: 2026-11-21\n---\n# 눈이 왔다\n\n![[ice.png]]\n",
      "notes.md": "No date.\n", ".gitignore": "private/\n", "private/key.txt": "secret\n",
    ])
    try Data(picture).write(to: URL(fileURLWithPath: world.home.homePath + "/j/2026/11/ice.png"))
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "all")
    return world
  }

  private func export(
    _ world: TestJournal, _ format: ExportFormat, to name: String
  ) async throws -> ExportOutcome {
    let journal = try world.journal()
    return try await journal.transfer.export(
      try await journal.catalog.list(), as: format, to: .path(name, replacing: true),
      ExportOptions(locale: UserLocale(named: "C"), title: "일기")
    ) { _, _ in }
  }

  @Test(arguments: [ExportFormat.epub, .dayone, .backup])
  func `equal journals and their clones give equal bytes`(
    _ format: ExportFormat
  ) async throws {
    let world = try await makeJournal()
    _ = try await export(world, format, to: "one")
    _ = try await export(world, format, to: "two")
    let home = world.home.homePath
    #expect(FileManager.default.contentsEqual(atPath: home + "/one", andPath: home + "/two"))
    // git packs a clone's history in its own way.
    guard format != .backup else { return }
    try FileManager.default.moveItem(atPath: home + "/j", toPath: home + "/old")
    try await world.home.git("clone", "-q", "old", "j", in: "")
    _ = try await export(world, format, to: "three")
    #expect(FileManager.default.contentsEqual(atPath: home + "/one", andPath: home + "/three"))
  }

  @Test func `a backup of a damaged history says what can be had without it`() async throws {
    let world = try await makeJournal()
    let blob = try await world.git("rev-parse", "HEAD:notes.md").trimmingCharacters(
      in: .whitespacesAndNewlines)
    try FileManager.default.removeItem(
      atPath: world.home.homePath + "/j/.git/objects/\(blob.prefix(2))/\(blob.dropFirst(2))")
    let error = await #expect(throws: DiaryError.self) {
      try await export(world, .backup, to: "backup.zip")
    }
    #expect(error?.hint?.contains("diary export --format folder DIR") == true, "\(error as Any)")
    let folder = try await export(world, .folder, to: "folder")
    #expect(folder.entries == 3)
  }

  @Test func `an EPUB starts with its media type and contains what it lists`() async throws {
    let world = try await makeJournal()
    let outcome = try await export(world, .epub, to: "a.epub")
    #expect(outcome.entries == 3)
    #expect(outcome.attachments == 1)
    let bytes = [UInt8](
      try Data(contentsOf: URL(fileURLWithPath: world.home.homePath + "/a.epub")))
    // The Open Container Format requires this name and these bytes at offset 30.
    #expect(bytes[30...].starts(with: "mimetypeapplication/epub+zip".utf8))
    let zip = try ZipReader(path: world.home.homePath + "/a.epub")
    let names = zip.items.map(\.name)
    let item = try #require(zip.item(named: "EPUB/book.opf"))
    let list = String(decoding: try zip.contents(of: item, limit: 1 << 20), as: UTF8.self)
    for found in list.matches(of: /href="([^"]*)"/) {
      #expect(names.contains("EPUB/" + found.output.1))
    }
    #expect(list.matches(of: /href=/).count == 5)
    let month = try #require(zip.item(named: "EPUB/2026-11.xhtml"))
    let text = String(decoding: try zip.contents(of: month, limit: 1 << 20), as: UTF8.self)
    #expect(text.matches(of: /<img alt="[^"]*" src="p1\.png"\/>/).count == 2)
  }

  @Test func `a Day One export contains ids, times, stars and photos`() async throws {
    let world = try await makeJournal()
    let outcome = try await export(world, .dayone, to: "a.zip")
    #expect(outcome.entries == 2)
    #expect(outcome.notices == ["notes.md was skipped: it has no date, and Day One needs one"])
    let zip = try ZipReader(path: world.home.homePath + "/a.zip")
    #expect(
      zip.items.map(\.name) == ["photos/6bd37c46caf6beb5d28ec0c6ff9a6b8c.png", "Journal.json"]
        || zip.items.count == 2)
    let item = try #require(zip.item(named: "Journal.json"))
    let data = Data(try zip.contents(of: item, limit: 1 << 20))
    let journal = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let entries = try #require(journal["entries"] as? [[String: Any]])
    #expect(entries[0]["uuid"] as? String == "0123456789ABCDEF0123456789ABCDEF")
    #expect(entries[0]["creationDate"] as? String == "2026-11-20T12:04:00Z")
    #expect(entries[0]["timeZone"] as? String == "Asia/Seoul")
    #expect(entries[0]["starred"] as? Bool == true)
    #expect(entries[1]["isAllDay"] as? Bool == true)
    let photos = try #require(entries[0]["photos"] as? [[String: Any]])
    let md5 = try #require(photos[0]["md5"] as? String)
    let photo = try #require(zip.item(named: "photos/\(md5).png"))
    #expect(try zip.contents(of: photo, limit: 100) == picture)
    #expect(
      entries[0]["text"] as? String
        == "# The river\n\nIt froze. ![](dayone-moment://\(md5.uppercased()))")
  }

  @Test func `a backup restored as documented is the same folder and history`()
    async throws
  {
    let world = try await makeJournal()
    _ = try await world.git("update-ref", "refs/diary/saves/main", "HEAD")
    try world.write("Not saved yet.\n", "2026/new.md")
    try world.remove("notes.md")
    let before = try await world.git("for-each-ref")
    let outcome = try await export(world, .backup, to: "backup.zip")
    #expect(outcome.entries == 3)
    try world.home.write(
      """
      set -e
      unzip -q backup.zip -d backup
      git clone -q --no-checkout backup/history.bundle new
      git -C new fetch -q origin 'refs/diary/*:refs/diary/*'
      git -C new remote remove origin
      cp -a backup/journal/. new/
      git -C new reset -q
      diff -r --exclude .git --exclude private j new
      test ! -e new/private

      """, to: "restore.sh")
    let result = try await world.home.run("sh", ["restore.sh"], in: "")
    #expect(result.status == 0, "\(result)")
    let after = try await world.home.run("git", ["-C", "new", "for-each-ref"], in: "")
    #expect(after.output == before)
    let changes = try await world.home.run("git", ["-C", "new", "status", "--short"], in: "")
    #expect(changes.output == (try await world.git("status", "--short")))
  }

  @Test func `a clone of a backup is the same folder and history`() async throws {
    let world = try await makeJournal()
    let home = world.home.homePath
    try world.write("#!/bin/sh\n", "tool.sh")
    chmod(home + "/j/tool.sh", 0o755)
    _ = try await world.git("add", "tool.sh")
    _ = try await world.git("commit", "-qm", "tool")
    for words in [
      ["update-ref", "refs/diary/saves/main", "HEAD~1"], ["branch", "other"], ["tag", "v1"],
      ["remote", "add", "origin", "nowhere.git"],
      ["update-ref", "refs/remotes/origin/main", "HEAD"],
    ] {
      _ = try await world.home.run("git", words, in: "j")
    }
    try world.write("Not saved yet.\n", "2026/new.md")
    try world.remove("notes.md")
    // A name that is not UTF-8.
    try await world.home.run("sh", ["-c", "echo x >\"$(printf 'caf\\351').md\""], in: "j")
    _ = try await export(world, .backup, to: "backup.zip")
    let environment = try world.journal().environment
    #expect(JournalSetup.isArchive(home + "/backup.zip", environment))
    #expect(!JournalSetup.isArchive(home + "/j", environment))
    let outcome = try await JournalSetup.restoreBackup(
      home + "/backup.zip", to: home + "/above/new", environment)
    #expect(outcome.entries == 4 && !outcome.isNew, "\(outcome)")
    let same = try await world.home.run(
      "diff", ["-r", "--exclude=.git", "--exclude=private", "j", "above/new"], in: "")
    #expect(same.status == 0, "\(same)")
    for words in [["for-each-ref"], ["symbolic-ref", "HEAD"], ["status", "--short"]] {
      let restored = try await world.home.run("git", words, in: "above/new")
      let kept = try await world.home.run("git", words, in: "j")
      #expect(restored.status == 0 && restored.output == kept.output, "\(words): \(restored)")
    }
    for words in [["remote"], ["config", "--get-regexp", "^remote"]] {
      let left = try await world.home.run("git", words, in: "above/new")
      #expect(left.output.isEmpty, "\(left)")
    }
    let journal = try Journal(root: home + "/above/new", environment: environment)
    #expect(try await !journal.setup.needsCloneSetup())
    let save = try await journal.locked { try await $0.saver.saveAll() }
    #expect(save.saved.map(\.text).prefix(1) == ["2026/new.md"], "\(save)")
    #expect(save.saved.count == 3 && save.deleted.map(\.text) == ["notes.md"], "\(save)")
    let again = await #expect(throws: DiaryError.self) {
      try await JournalSetup.restoreBackup(
        home + "/backup.zip", to: home + "/above/new", environment)
    }
    #expect(again?.message.contains("is not empty") == true)
    let names = try FileManager.default.contentsOfDirectory(atPath: home + "/above")
    #expect(names == ["new"])
  }

  @Test func `a clone of a backup takes nothing of git's from the zip`() async throws {
    let world = try await TestJournal()
    let home = world.home
    let zip = try ZipWriter(path: home.homePath + "/a.zip")
    let time = ZipTime(year: 2026, month: 11, day: 26)
    let files = [
      ("journal/.diary/config.yml", "index: null\n"), ("journal/a.md", "# Walk\n"),
      ("journal/.git/hooks/pre-commit", "#!/bin/sh\ntouch hit\n"),
      ("journal/x/.GIT/config", "[core]\n\tfsmonitor = touch hit\n"), ("other.txt", "No.\n"),
    ]
    for (name, text) in files { try zip.add(name, Array(text.utf8), time: time) }
    try zip.finish { false }
    let environment = try world.journal().environment
    let outcome = try await JournalSetup.restoreBackup(
      home.homePath + "/a.zip", to: home.homePath + "/new", environment)
    #expect(outcome.isNew && outcome.entries == 1, "\(outcome)")
    #expect(home.files(in: "new") == ["a.md"] && home.files(in: "").allSatisfy { $0 != "hit" })
    #expect(!FileManager.default.fileExists(atPath: home.homePath + "/new/.git/hooks/pre-commit"))
    let log = try await home.git("log", "--format=%s", in: "new")
    #expect(log.split(separator: "\n").count == 1, "\(log)")
    // The new repository is its own, also inside another one.
    try await home.git("init", "-q", "outer", in: "")
    let inner = try await JournalSetup.restoreBackup(
      home.homePath + "/a.zip", to: home.homePath + "/outer/new", environment)
    #expect(inner.isNew && inner.entries == 1, "\(inner)")
    #expect(FileManager.default.fileExists(atPath: home.homePath + "/outer/new/.git/HEAD"))
    #expect(!FileManager.default.fileExists(atPath: home.homePath + "/outer/.git/diary"))
    // Another zip is no backup, and leaves nothing behind.
    let plain = try ZipWriter(path: home.homePath + "/b.zip")
    try plain.add("a.md", Array("# Walk\n".utf8), time: time)
    try plain.finish { false }
    let error = await #expect(throws: DiaryError.self) {
      try await JournalSetup.restoreBackup(
        home.homePath + "/b.zip", to: home.homePath + "/none", environment)
    }
    #expect(error?.hint?.contains("diary import") == true, "\(error as Any)")
    #expect(!FileManager.default.fileExists(atPath: home.homePath + "/none"))
  }
}
