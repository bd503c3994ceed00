import DiaryCore
import Testing

@Suite struct `Conflict copies` {
  @Test(arguments: [
    ("walk.sync-conflict-20261122-221819-DGYN457.md", "walk.md", "Syncthing"),
    ("walk.sync-conflict-20261122-221819.md", "walk.md", "Syncthing"),
    (
      "walk.sync-conflict-20261122-221819-DGYN457.sync-conflict-20261123-221819-ABCDEF2.md",
      "walk.md", "Syncthing"
    ),
    ("walk (Ann's conflicted copy 2026-11-22).md", "walk.md", "Dropbox"),
    ("walk (Ann's conflicted copy 2026-11-22 (1)).md", "walk.md", "Dropbox"),
    ("walk (Ann's conflicted copy 2026-11-22) (2).md", "walk.md", "Dropbox"),
    ("walk (In Konflikt stehende Kopie von Ann 2026-11-22).md", "walk.md", "Dropbox"),
    ("walk (Copie en conflit de Ann 2026-11-22).md", "walk.md", "Dropbox"),
    ("산책 (conflicted copy 2026-11-22 221819).md", "산책.md", "Nextcloud"),
    ("walk (Conflicted copy laptop 202611222218).md", "walk.md", "Obsidian"),
    ("walk_conflict-20261122-221819.md", "walk.md", "Nextcloud"),
    ("walk_conflict-ann-20261122-221819.md", "walk.md", "Nextcloud"),
    ("walk (conflict_on_2026-11-22).md", "walk.md", "Unison"),
    ("walk (SFConflict ann@example.org 2026-11-22-22-18-19).md", "walk.md", "Seafile"),
    ("walk-DESKTOP-4T7K2QP.md", "walk.md", "OneDrive"),
    ("walk-LAPTOP-4T7K2QPX-2.md", "walk.md", "OneDrive"),
  ])
  func `a copy has an original and a program`(
    _ name: String, _ original: String, _ program: String
  ) throws {
    let path = try #require(EntryPath("2026/11/" + name))
    let copy = try #require(ConflictCopy(path))
    #expect(copy.original.text == "2026/11/" + original)
    #expect(copy.program.contains(program))
    #expect(EntryPath(name).flatMap { ConflictCopy($0) }?.original.text == original)
  }

  @Test(arguments: [
    "walk (1).md", "walk 2.md", "walk copy.md", "walk (conflicted copy).md", "conflict-20261122.md",
    "my_conflict-of-interest.md", "A-DESKTOP-COMPUTER.md", "the-old-LAPTOP-WAS-SOLD-TODAY.md",
    "2026-11-22.md", "trip (2026-11-22).md", "_conflict-20261122-221819.md", "A long name (B).md",
    "the fight (conflict in the office 2026-11-22).md", ".sync-conflict-20261122-221819-DGYN457.md",
    ")))))))))))))))))).md", "((((((((((((((((((.md", "sync-conflict-20261122-221819-DGYN457.md",
  ])
  func `names by the user are not conflict copies`(_ name: String) throws {
    for path in ["2026/11/" + name, name] {
      #expect(ConflictCopy(try #require(EntryPath(path))) == nil)
    }
  }

  @Test func `the base is the version that differs least from both`() {
    let first = Array("We walked to the lake.\n".utf8)
    let base = Array("We walked to the lake.\n\nThere was ice on it.\n".utf8)
    let ours = base + Array("\nJun slipped.\n".utf8)
    let theirs = base + Array("\nWe had tea.\n".utf8)
    let versions = [ours, base, first]
    #expect(conflictCopyBase(versions, ours, theirs) == base)
    #expect(conflictCopyBase(versions, theirs, ours) == base)
  }

  @Test func `an intermediate version of one side is not the base`() {
    let base = Array("We walked to the lake.\n".utf8)
    let half = base + Array("\nJun slipped.\n".utf8)
    let ours = half + Array("\nHe laughed about it all the way home.\n".utf8)
    let theirs = base + Array("\nWe had tea.\n".utf8)
    #expect(conflictCopyBase([ours, half, base], ours, theirs) == base)
    #expect(conflictCopyBase([ours, half], ours, theirs) == nil)
    let merged = String(
      decoding: EntryMerge(base: nil, ours, theirs).bytes, as: UTF8.self)
    for words in ["Jun slipped.", "He laughed", "We had tea."] { #expect(merged.contains(words)) }
  }

  @Test func `neither of the two versions is the base`() {
    let ours = Array("We walked to the lake, and Jun slipped.\n".utf8)
    let theirs = Array("We walked to teh lake, and Jun slipped.\n\nTea.\n".utf8)
    #expect(conflictCopyBase([ours, theirs], ours, theirs) == nil)
    #expect(conflictCopyBase([], ours, theirs) == nil)
  }
}
