import DiaryCore
import Testing

@Suite struct `Patterns for paths` {
  @Test(arguments: [
    ("**", "a/b.md", true), ("*.md", "a.md", true), ("*.md", "x/y/a.md", true),
    ("/*.md", "x/a.md", false), ("templates", "templates/daily.md", true),
    ("templates", "x/templates/daily.md", true), ("templates/", "templates/daily.md", true),
    ("/templates", "x/templates/daily.md", false), ("templates", "templates.md", false),
    ("_posts/**", "_posts/2024/a.md", true), ("_posts/**", "_posts", false),
    ("_posts/**", "x/_posts/a.md", false), ("a/**/b.md", "a/b.md", true),
    ("a/**/b.md", "a/x/y/b.md", true), ("a/**/b.md", "b.md", false),
    ("**/drafts/*.md", "drafts/a.md", true), ("**/drafts/*.md", "x/y/drafts/a.md", true),
    ("a/*.md", "a/b/c.md", false), ("a/?.md", "a/é.md", true), ("a/?.md", "a/ab.md", false),
    ("20[0-9][0-9]/**", "2024/a.md", true), ("20[0-9][0-9]/**", "20x4/a.md", false),
    ("[!a]*.md", "b.md", true), ("[!a]*.md", "a.md", false), ("[가-힣]*.md", "산책.md", true),
    ("\\*.md", "*.md", true), ("\\*.md", "a.md", false), ("[x", "[x", true), ("[]]", "]", true),
    ("a*b*c", "aXbXbXc", true), ("a*b*c", "aXbX", false), ("A.md", "a.md", false),
    ("**/**/a.md", "x/a.md", true), ("a/**/**/z", "a/z", true), ("*", "x/y", true),
  ])
  func `a pattern matches as in gitignore`(_ pattern: String, _ path: String, _ fits: Bool)
    throws
  {
    let path = try #require(EntryPath(path))
    #expect(try #require(PathGlob(pattern)).matches(path) == fits)
  }

  @Test func `an empty pattern is refused`() {
    #expect(PathGlob("") == nil)
    #expect(PathGlob("//") == nil)
  }

  @Test func `names that are not UTF-8 are matched by their bytes`() throws {
    let path = try #require(EntryPath(bytes: [0x61, 0xFF, 0x2E, 0x6D, 0x64]))
    #expect(try #require(PathGlob("a?.md")).matches(path))
    #expect(try #require(PathGlob("a*")).matches(path))
    #expect(try !#require(PathGlob("a[b-z].md")).matches(path))
  }

  @Test func `many stars are matched in reasonable time`() throws {
    // Trying every position of every star would take fifty million steps.
    let cases = [
      (String(repeating: "**/a/", count: 6) + "b", String(repeating: "a/", count: 60) + "a"),
      (String(repeating: "*a", count: 6) + "*b", String(repeating: "a", count: 60)),
    ]
    for (pattern, path) in cases {
      let glob = try #require(PathGlob(pattern))
      let path = try #require(EntryPath(path))
      let spent = ContinuousClock().measure { #expect(!glob.matches(path), "\(pattern)") }
      #expect(spent < .seconds(2), "\(pattern): \(spent)")
    }
  }

  @Test(arguments: [
    ".e.md.swp", ".e.md.swx", "e.md~", "e.md.~1~", ".e.md.un~", "#e.md#", ".#e.md",
    ".e.md.kak.ssGr9s", "sedAb12Cd", "XXikyqR9", ".goutputstream-ABC123", ".~lock.e.md#",
    "lu1234.tmp", "e.tmp", "e.part", "e.filepart", "e.crdownload", "e.md.kate-swp", "e.vsctmp",
    ".syncthing.e.md.tmp", "~syncthing~e.md", "~$e.md", "._e.md", ".fuse_hidden0001", "DEADJOE",
    ".nfs0001",
    "e.md.aBcDeF", ".e.md.Ab12Cd", "tmpo9OF4y",
  ])
  func `the temporary files of editors are recognised by name`(_ name: String) throws {
    #expect(FileName.isEditorFile(name.utf8))
    #expect(FileName.isNeverSaved(try #require(EntryPath("2026/\(name)"))))
  }

  @Test(arguments: [
    "e.md", "tmp.md", "sediments.md", "2026.md", "sed.txt", "part.jpg", "XXL.md", "template.md",
    "a#b.md", "#todo.md", "lunch.md", "conflict.md", "workspace.md", "1984", "4913", "sediments",
    "sedatives", "sediment1", "sedScript", "tmpreport", "XXLARGE1", "XXXXXXXX",
  ])
  func `files by the user are not temporary files`(_ name: String) throws {
    #expect(!FileName.isEditorFile(name.utf8))
    #expect(!FileName.isNeverSaved(try #require(EntryPath(name))))
  }

  @Test func `only vim's own numbers are those of its empty test file`() {
    for name in ["4913", "5036", "5159"] { #expect(FileName.isWriteProbe(name.utf8), "\(name)") }
    for name in ["1984", "4914", "2026", "", "99999999999999999999", "4913a"] {
      #expect(!FileName.isWriteProbe(name.utf8), "\(name)")
    }
  }

  @Test(arguments: [
    "e.sync-conflict-20261121-210400-ABCDEFG.md", "e_conflict-20261121.md",
    "e (conflicted copy 2026-11-21).md", "e (Ann's conflicted copy 2026-11-21).md",
  ])
  func `a conflict copy is not an entry`(_ name: String) throws {
    #expect(ConflictCopy.isCopyName(Array(name.utf8)[...]))
    #expect(!FileName.isEditorFile(name.utf8))
    #expect(FileName.isNeverSaved(try #require(EntryPath(name))))
  }

  @Test(arguments: [
    ".git/config", "x/.git/HEAD", ".jj/x", ".stversions/e.md", ".DS_Store", "a/Thumbs.db",
    ".Trash-1000/e.md", ".obsidian/workspace.json", "x/.obsidian/workspace-mobile.json",
  ])
  func `files of other programs are never saved`(_ path: String) throws {
    #expect(FileName.isNeverSaved(try #require(EntryPath(path))))
  }

  @Test(arguments: [
    (".env", true), ("x/.env.local", true), ("id_rsa", true), ("ID_ED25519", true),
    ("id_rsa.pub", false), ("server.pem", true), ("a.KEY", true), (".ssh/config", true),
    ("passwords.kdbx", true), ("environment.md", false), ("keys.md", false), ("env", false),
  ])
  func `key and env files are secrets`(_ path: String, _ isSecret: Bool) throws {
    #expect(FileName.isSecret(try #require(EntryPath(path))) == isSecret)
  }

  @Test func `photos, audio, videos and PDFs are media`() throws {
    for name in ["a.JPG", "b.heic", "c.mp3", "d.webm", "e.pdf"] {
      #expect(FileName.isMedia(try #require(EntryPath(name))))
    }
    #expect(!FileName.isMedia(try #require(EntryPath("a.zip"))))
  }
}
