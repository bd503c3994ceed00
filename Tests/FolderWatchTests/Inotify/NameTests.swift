import DiaryCore
@testable import FolderWatch
import Glibc
import Testing

@Suite struct NameTests {
  @Test(arguments: [
    ".e.md.swp", ".e.md.swo", ".e.md.swx", ".e.md.swpx", ".#e.md", ".~lock.e.md#", ".e.md.kate-swp",
    "e.md.kate-swp",
  ])
  func `recognizes an editor file`(_ name: String) { #expect(WatchFilter.isEditorFile(name.utf8)) }

  @Test(arguments: [
    "e.md", ".e.md", "e.md~", "#e.md#", "4913", "e.md.swp", ".swp", ".#", ".~lock.e.md",
    ".e.md.swP",
    ".e.md.sw1", "e.sw", "",
  ])
  func `recognizes no other file as an editor's`(_ name: String) {
    #expect(!WatchFilter.isEditorFile(name.utf8))
  }

  @Test func `watches no hidden folder but the journal's own`() {
    #expect(WatchFilter.isWatched(folder: "2026".utf8, in: nil))
    #expect(WatchFilter.isWatched(folder: ".diary".utf8, in: nil))
    #expect(!WatchFilter.isWatched(folder: ".diary".utf8, in: "a"))
    #expect(!WatchFilter.isWatched(folder: ".git".utf8, in: nil))
  }

  @Test func `recognizes file systems that other machines write to`() {
    #expect(FileSystemKind.name(ofUnreported: 0x6969) == "NFS")
    #expect(FileSystemKind.name(ofUnreported: Int64(Int32(bitPattern: 0xFE53_4D42))) == "SMB")
    #expect(FileSystemKind.name(ofUnreported: 0xEF53) == nil)
  }

  @Test func `parses mount points with blanks`() {
    #expect(
      MountTable.unescaped(#"/mnt/my\040disk\134\011"#.utf8) == Array("/mnt/my disk\\\t".utf8))
    #expect(MountTable.unescaped(#"/a\04"#.utf8) == Array(#"/a\04"#.utf8))
  }

  @Test func `an error message contains the cause and the path`() {
    let error = WatchError.system(operation: "open", path: "/home/me/diary", errno: EACCES)
    #expect("\(error)" == "cannot open /home/me/diary: Permission denied")
    #expect(
      "\(WatchError.unreported(path: "/net/diary", fileSystem: "NFS"))"
        == "/net/diary is on NFS, which does not report changes")
  }
}

@Suite struct WatchedFoldersTests {
  @Test func `removes a folder with all its subfolders`() {
    var folders = WatchedFolders()
    for (watch, path) in [(1, nil), (2, "a"), (3, "a/b"), (4, "a/b/c"), (5, "ab")]
      as [(CInt, EntryPath?)]
    {
      #expect(folders.insert(watch, at: path) == .new(outdated: []))
    }
    #expect(folders.remove(at: "a").sorted() == [2, 3, 4])
    #expect(folders.count == 2)
    #expect(folders.remove(at: "a") == [])
    #expect(folders.watch(at: "ab") == 5)
  }

  @Test func `a known watch at another path is a renamed folder`() {
    var folders = WatchedFolders()
    _ = folders.insert(1, at: nil)
    _ = folders.insert(2, at: "a")
    _ = folders.insert(3, at: "a/b")
    #expect(folders.insert(2, at: "a") == .known)
    #expect(folders.insert(2, at: "c") == .new(outdated: [3]))
    #expect(folders.watch(at: "a") == nil)
    #expect(folders[2]?.path == "c")
  }

  @Test func `does not loop in a folder that contains itself`() {
    var folders = WatchedFolders()
    _ = folders.insert(1, at: nil)
    _ = folders.insert(2, at: "a")
    #expect(folders.insert(1, at: "a/again") == .loop)
    #expect(folders.insert(2, at: "a/again") == .loop)
  }
}
