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
}
