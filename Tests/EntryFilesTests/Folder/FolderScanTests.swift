import TestSupport
import DiaryCore
import EntryFiles
import Foundation
import Glibc
import Testing

@Suite struct FolderScanTests {
  let sandbox: TestFolder
  let rules = EntryMatcher(settings: Settings())

  init() throws { sandbox = try TestFolder() }

  private func entries(_ settings: Settings = Settings()) -> [String] {
    sandbox.folder.scan(EntryMatcher(settings: settings)).entries.map(\.path.text)
  }

  @Test func `finds every entry in byte order`() throws {
    for name in [
      "b.md", "a/x.md", "a-b.md", "a.md", "a/b/c.markdown", "é.md", "D.MD", "2026/11/w.md",
    ] {
      try sandbox.write(name)
    }
    let walk = sandbox.folder.scan(rules)
    let found = walk.entries.map(\.path)
    #expect(found == found.sorted() && found.count == 8)
    #expect(walk.otherFiles == [] && walk.unreadable == [])
    for file in walk.entries {
      #expect(try sandbox.folder.signature(of: file.path) == file.signature)
    }
  }

  @Test func `skips files that are never entries`() throws {
    try sandbox.write("e.md")
    for name in [
      "README.md", ".hidden.md", ".#e.md", "~$e.md", "._e.md", ".obsidian/note.md", "photo.jpg",
      "e.md~", "#e.md#", ".e.md.swp", ".diary/templates/mine.md", ".git/x.md",
    ] { try sandbox.write(name) }
    symlink("e.md", sandbox.absolutePath("link.md"))
    symlink("/", sandbox.absolutePath("root"))
    mkfifo(sandbox.absolutePath("pipe.md"), 0o600)
    try sandbox.write("folder.md/inner.md")
    try sandbox.write("notes/README.md")
    #expect(entries() == ["e.md", "folder.md/inner.md", "notes/README.md"])
  }

  @Test func `does not enter other repositories, and reports them`() throws {
    try sandbox.write(".git/HEAD")
    try sandbox.write("mine.md")
    try sandbox.write("other/.git/HEAD")
    try sandbox.write("other/deep/a.md")
    try sandbox.write("module/.git", "gitdir: ../.git/modules/module\n")
    try sandbox.write("module/a.md")
    let walk = sandbox.folder.scan(rules, includesOthers: true)
    #expect(walk.entries.map(\.path.text) == ["mine.md"])
    #expect(walk.repositories.map(\.text) == ["module", "other"])
    #expect(walk.otherFiles == [])
  }

  @Test func `skips only lists made by Diary`() throws {
    let list = ListFile.marker + "\n\n- 2026-11-21 [a](a.md)\n"
    try sandbox.write("INDEX.md", list)
    try sandbox.write("sub/INDEX.md", "mine")
    #expect(entries() == ["sub/INDEX.md"])
    var settings = Settings()
    settings.indexFile = path("LIST.md")
    try sandbox.write("LIST.md", list)
    #expect(entries(settings) == ["sub/INDEX.md"])
    settings.indexFile = nil
    #expect(entries(settings) == ["LIST.md", "sub/INDEX.md"])
    try sandbox.write("INDEX.md", "# My own index\n")
    #expect(entries().contains("INDEX.md"))
  }

  @Test func `finds the entries that the settings include`() throws {
    for name in ["journal/a.md", "journal/old/b.md", "notes/c.md"] { try sandbox.write(name) }
    var settings = Settings()
    settings.include = ["journal/**"]
    #expect(entries(settings) == ["journal/a.md", "journal/old/b.md"])
    settings.exclude = ["**/old/**"]
    #expect(entries(settings) == ["journal/a.md"])
    settings.include = ["**"]
    #expect(entries(settings) == ["journal/a.md", "notes/c.md"])
    settings.include = []
    #expect(entries(settings) == [])
  }

  @Test func `lists other files on request, without secrets and editor files`() throws {
    for name in [
      "a.md", "p.jpg", "sub/voice.m4a", "README.md", ".env", "id_ed25519", "x.tmp",
      "sedAb12Cd", "1984", "sediments",
    ] {
      try sandbox.write(name)
    }
    #expect(sandbox.folder.scan(rules).otherFiles == [])
    let others = sandbox.folder.scan(rules, includesOthers: true).otherFiles.map(\.path.text)
    #expect(others == ["1984", "README.md", "p.jpg", "sediments", "sub/voice.m4a"])
  }

  @Test func `lists the journal's settings, ignore files and leftover files`() throws {
    for name in [
      ".diary/config.yml", ".diary/templates/mine.md", ".diary/templates/sub/x.md",
      ".diary/templates/.x.swp", ".diary/other", ".gitignore", "2026/.gitignore",
      "2026/.diary-1f.tmp", ".diary-.tmp",
    ] { try sandbox.write(name) }
    let walk = sandbox.folder.scan(rules)
    #expect(
      walk.settingsFiles.map(\.path.text) == [
        ".diary/config.yml", ".diary/templates/mine.md", ".diary/templates/sub/x.md",
      ])
    #expect(walk.ignoreFiles.map(\.path.text) == [".gitignore", "2026/.gitignore"])
    #expect(walk.staleTempFiles.map(\.path.text) == ["2026/.diary-1f.tmp"])
  }

  @Test(.enabled(if: geteuid() != 0, "root reads everything"))
  func `reports which folder cannot be read`() throws {
    try sandbox.write("closed/a.md")
    chmod(sandbox.absolutePath("closed"), 0)
    defer { chmod(sandbox.absolutePath("closed"), 0o700) }
    let walk = sandbox.folder.scan(rules)
    #expect(walk.unreadable == [FolderScan.Unreadable(path: path("closed"), code: EACCES)])
    #expect(sandbox.folder.presence(of: path("closed/a.md")) == .unknown(.folderUnreadable(EACCES)))
  }

  @Test(arguments: [
    (nil, EACCES, true), (nil, EMFILE, true), ("a", EMFILE, true), ("a", EIO, true),
    ("a", ENOMEM, true), ("a", ENFILE, true), ("a", EACCES, false), ("a", ENAMETOOLONG, false),
  ])
  func `an incomplete scan is refused if the system is the cause`(
    _ name: String?, _ code: Int32, _ isRefused: Bool
  ) throws {
    var walk = sandbox.folder.scan(rules)
    try walk.throwIfIncomplete(sandbox.folder)
    walk.unreadable = [FolderScan.Unreadable(path: name.map { path($0) }, code: code)]
    guard isRefused else { return try walk.throwIfIncomplete(sandbox.folder) }
    let error = #expect(throws: FileError.self) { try walk.throwIfIncomplete(sandbox.folder) }
    #expect(error?.path == name ?? sandbox.folder.root)
  }

  @Test func `a folder deeper than the longest path is reported`() throws {
    let name = String(repeating: "d", count: 200)
    var folders = [open(sandbox.root, O_RDONLY | O_DIRECTORY)]
    for _ in 0..<30 {
      mkdirat(folders[folders.count - 1], name, 0o700)
      folders.append(openat(folders[folders.count - 1], name, O_RDONLY | O_DIRECTORY, 0))
    }
    defer {
      // The paths are too long to remove the tree from outside.
      for folder in folders.reversed() {
        unlinkat(folder, name, AT_REMOVEDIR)
        close(folder)
      }
    }
    let walk = sandbox.folder.scan(rules)
    #expect(walk.unreadable.map(\.code) == [ENAMETOOLONG])
  }

  @Test func `equals a slow and simple scan of random folders`() throws {
    var random = SeededGenerator()
    let parts = ["a", "b.md", "c.markdown", ".d", "e f", "é", "README.md", "x.jpg", "-", "ü.md"]
    for _ in 0..<120 {
      let depth = Int.random(in: 1...4, using: &random)
      let name = (0..<depth).compactMap { _ in parts.randomElement(using: &random) }
      try? sandbox.write(name.joined(separator: "/"))
    }
    let expected = sandbox.names().compactMap { EntryPath($0) }.filter { found in
      var facts = stat()
      return stat(sandbox.absolutePath(found.text), &facts) == 0
        && facts.st_mode & S_IFMT == S_IFREG
        && rules.isEntry(found)
    }
    #expect(sandbox.folder.scan(rules).entries.map(\.path) == expected.sorted(), "\(random)")
    #expect(!expected.isEmpty)
  }
}
