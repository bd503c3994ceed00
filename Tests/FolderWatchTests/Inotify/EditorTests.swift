import DiaryCore
import FolderWatch
import Foundation
import Glibc
import Testing

/// A program's system calls when it saves `e.md`, as shown by strace(1) and inotifywait(1).
struct EditorSave: Sendable, CustomTestStringConvertible {
  let program: String
  let events: [FolderEvent]
  let act: @Sendable (TestFolder) -> Void
  var testDescription: String { program }

  init(_ program: String, _ events: [FolderEvent], _ act: @escaping @Sendable (TestFolder) -> Void)
  {
    (self.program, self.events, self.act) = (program, events, act)
  }
}

@Suite struct EditorTests {
  @Test(arguments: saves) func `reports how a program saves`(_ save: EditorSave) async throws {
    let watched = try await WatcherFixture { $0.write("e.md", "old") }
    let events = await watched.events(save.act)
    #expect(lastEvents(events) == lastEvents(save.events))
    #expect(events.filter(\.isEditorFile) == save.events.filter(\.isEditorFile))
  }

  /// The last event of each path. The number of earlier events depends on the watcher's speed,
  /// because a file that is already removed is not reported as changed.
  private func lastEvents(_ events: [FolderEvent]) -> [EntryPath: FolderEvent] {
    var last: [EntryPath: FolderEvent] = [:]
    for event in events {
      switch event {
      case .changed(let path), .removed(let path): last[path] = event
      case .editorFile: break
      case .rescan, .failed: Issue.record("\(event)")
      }
    }
    return last
  }

  static let saves: [EditorSave] = [
    EditorSave(
      "vim",
      [
        .removed("4913"), .removed("e.md"), .changed("e.md~"), .changed("e.md"), .removed("e.md~"),
      ]
    ) {
      $0.write("4913", "")
      chmod($0.path("4913"), 0o600)
      $0.remove("4913")
      $0.move("e.md", "e.md~")
      $0.write("e.md", "new")
      chmod($0.path("e.md"), 0o644)
      $0.remove("e.md~")
    },
    EditorSave(
      "vim backupcopy=yes",
      [.changed("e.md~"), .changed("e.md"), .removed("e.md~")]
    ) {
      $0.write("e.md~", "old")
      $0.write("e.md", "new", flags: O_TRUNC)
      $0.remove("e.md~")
    },
    EditorSave(
      "vim opens and leaves",
      [
        .editorFile(".e.md.swp"), .editorFile(".e.md.swx"), .editorFile(".e.md.swx"),
        .editorFile(".e.md.swp"),
      ]
    ) {
      $0.write(".e.md.swp", "b0VIM")
      $0.write(".e.md.swx", "")
      $0.remove(".e.md.swx")
      $0.remove(".e.md.swp")
    },
    EditorSave(
      "nano, with its lock", [.editorFile(".e.md.swp"), .changed("e.md"), .editorFile(".e.md.swp")]
    ) {
      $0.write(".e.md.swp", "b0nano")
      $0.write("e.md", "new", flags: O_TRUNC)
      $0.remove(".e.md.swp")
    },
    EditorSave(
      "emacs, first save",
      [
        .editorFile(".#e.md"), .removed("e.md"), .changed("e.md~"), .changed("e.md"),
        .editorFile(".#e.md"),
      ]
    ) {
      $0.makeLink(".#e.md", to: "me@host.1234:1700000000")
      $0.move("e.md", "e.md~")
      $0.write("e.md", "new")
      $0.write("e.md", "", flags: O_APPEND)
      $0.write("e.md", "", flags: O_APPEND)
      $0.remove(".#e.md")
      chmod($0.path("e.md"), 0o644)
    },
    EditorSave("emacs auto-save", [.changed("#e.md#")]) { $0.write("#e.md#", "new") },
    EditorSave(
      "LibreOffice's lock",
      [
        .editorFile(".~lock.e.md#"), .changed("lu1.tmp"), .removed("lu1.tmp"),
        .changed("e.md"), .editorFile(".~lock.e.md#"),
      ]
    ) {
      $0.write(".~lock.e.md#", "me")
      $0.write("lu1.tmp", "new")
      $0.move("lu1.tmp", "e.md")
      $0.remove(".~lock.e.md#")
    },
    EditorSave(
      "sed -i",
      [.changed("sedAb3xYz"), .removed("sedAb3xYz"), .changed("e.md")]
    ) {
      $0.write("sedAb3xYz", "new")
      $0.move("sedAb3xYz", "e.md")
    },
    EditorSave("a shell's >>", [.changed("e.md")]) { $0.write("e.md", "more", flags: O_APPEND) },
    EditorSave("VS Code: empties the file, then writes", [.changed("e.md")]) {
      truncate($0.path("e.md"), 0)
      $0.write("e.md", "", flags: O_TRUNC)
      $0.write("e.md", "new", flags: 0)
    },
    EditorSave("touch", [.changed("e.md")]) { touch($0.path("e.md")) },
    EditorSave("a write through memory", [.changed("e.md")]) {
      writeThroughMemory($0.path("e.md"))
    },
    EditorSave("a nameless file that is linked", [.changed("f.md")]) { linkUnnamedFile($0) },
    EditorSave("a hard link", [.changed("f.md")]) { link($0.path("e.md"), $0.path("f.md")) },
    EditorSave("git checkout", [.removed("e.md"), .changed("e.md")]) {
      $0.remove("e.md")
      $0.write("e.md", "other branch")
    },
    EditorSave("mv from outside", [.changed("f.md")]) {
      $0.write("\($0.outside)/f.md", "moved")
      $0.move("\($0.outside)/f.md", "f.md")
    },
    EditorSave("mv to outside", [.removed("e.md")]) { $0.move("e.md", "\($0.outside)/e.md") },
    EditorSave("mv within", [.removed("e.md"), .changed("f.md")]) { $0.move("e.md", "f.md") },
    EditorSave("a link moved over the file", [.removed("l"), .removed("e.md")]) {
      $0.makeLink("l", to: "elsewhere")
      $0.move("l", "e.md")
    },
    EditorSave("a pipe", []) { mkfifo($0.path("pipe"), 0o600) },
  ]
}

extension FolderEvent {
  fileprivate var isEditorFile: Bool { if case .editorFile = self { true } else { false } }
}

/// Acts like touch(1): open for writing, set the times, close.
private func touch(_ path: String) {
  let file = open(path, O_WRONLY)
  futimens(file, nil)
  close(file)
}

private func writeThroughMemory(_ path: String) {
  let file = open(path, O_RDWR)
  guard let memory = mmap(nil, 3, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) else { return }
  memory.storeBytes(of: UInt8(ascii: "n"), as: UInt8.self)
  munmap(memory, 3)
  close(file)
}

/// Uses open(O_TMPFILE) and linkat(2), as a program does that never shows a partial file.
private func linkUnnamedFile(_ scratch: TestFolder) {
  let temporaryFileFlag: CInt = 0o20_200_000
  let file = open(scratch.root, O_WRONLY | temporaryFileFlag, 0o644)
  guard file >= 0 else { return scratch.write("f.md", "no O_TMPFILE here") }
  _ = Glibc.write(file, "new", 3)
  linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, scratch.path("f.md"), AT_SYMLINK_FOLLOW)
  close(file)
}
