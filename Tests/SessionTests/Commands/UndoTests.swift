import Foundation
import TestSupport
import Testing

/// Undo and the past with the built program, and errors in queries about it.
@Suite(.serialized) struct UndoTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test func `undo reverts each command, asks first, and redo comes forward`() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "One", "--message", "first", "--date", "2026-11-20", in: "j")
    let path = "j/2026/11/2026-11-20-one.md"
    let made = try home.read(path)
    let asked = try await home.diary("undo", in: "j")
    #expect(asked.status == 1 && asked.errors.contains("remove 2026/11/2026-11-20-one.md"))
    #expect(try home.read(path) == made)
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(
      undone.output == "Undone: Write the entry \"One\"; to redo it: diary redo\n", "\(undone)")
    #expect(undone.errors.contains("Saved: Undo write the entry \"One\""), "\(undone)")
    #expect(!home.exists(path))
    #expect(try await home.diary("undo", "--yes", in: "j").status == 2)
    let redone = try await home.diary("redo", "--yes", in: "j")
    #expect(
      redone.output == "Redone: Write the entry \"One\"; to undo it: diary undo\n", "\(redone)")
    #expect(redone.errors.contains("Saved: Redo write the entry \"One\""), "\(redone)")
    #expect(try home.read(path) == made)
    #expect(try await home.diary("redo", "--yes", in: "j").status == 2)

    try await home.diary("add", "--to", "1", "second", in: "j")
    try await home.diary("undo", "--yes", in: "j")
    #expect(try home.read(path) == made)

    try home.write(made + "unsaved words\n", to: path)
    try await home.diary("delete", "1", "--yes", in: "j")
    try await home.diary("undo", "--yes", in: "j")
    #expect(try home.read(path) == made + "unsaved words\n")

    try await home.diary("rename", "1", "Two", in: "j")
    #expect(home.exists("j/2026/11/2026-11-20-two.md"))
    try home.write("mine now\n", to: "j/2026/11/2026-11-20-two.md")
    let refused = try await home.diary("undo", "--yes", in: "j")
    #expect(refused.status == 1 && refused.errors.contains("changed since then"), "\(refused)")
    #expect(try home.read("j/2026/11/2026-11-20-two.md") == "mine now\n")
  }

  @Test func `undo reverts a star and keeps unsaved text`()
    async throws
  {
    try await home.diary("init", "j")
    let texts = ["a": "---\r\ntitle: A\r\n---\r\n\r\nSoup.\r\n", "b": "# B\n\nRain.\n"]
    for (name, text) in texts { try home.write(text, to: "j/\(name).md") }
    try await home.diary("save", in: "j")
    try home.write(texts["b"]! + "unsaved words\n", to: "j/b.md")
    try await home.diary("star", "A", "B", "A", in: "j")
    let starred = (try home.read("j/a.md"), try home.read("j/b.md"))
    #expect(starred.0.contains("starred: true\r\n") && starred.1.contains("starred: true\n"))
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.errors.contains(": Star 2 entries\n"), "\(undone)")
    #expect(undone.errors.contains("  change a.md back\n"), "\(undone)")
    #expect(try home.read("j/a.md") == texts["a"])
    #expect(try home.read("j/b.md") == texts["b"]! + "unsaved words\n")
    #expect(try await home.diary("list", "--starred", in: "j").output == "")
    try await home.diary("redo", "--yes", in: "j")
    #expect(try home.read("j/a.md") == starred.0)
    #expect(try home.read("j/b.md") == starred.1)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")

    try await home.diary("unstar", "A", in: "j")
    try await home.diary("unstar", "A", in: "j")  // Did nothing, so there is nothing to undo.
    let taken = try await home.diary("undo", "--yes", in: "j")
    #expect(taken.errors.contains(": Unstar \"A\"\n"), "\(taken)")
    #expect(try home.read("j/a.md") == starred.0)

    try await home.diary("unstar", "A", "B", in: "j")
    try home.write("mine now\n", to: "j/a.md")
    let refused = try await home.diary("undo", "--yes", in: "j")
    #expect(refused.status == 1 && refused.errors.contains("a.md changed since then"))
    let half = try await home.diary("undo", "--yes", "--keep-changed", in: "j")
    #expect(half.errors.contains("left out: a.md changed since then"), "\(half)")
    #expect(try home.read("j/a.md") == "mine now\n")
    #expect(try home.read("j/b.md") == starred.1)
  }

  @Test func `the list says which operations can be undone, in words and in JSON`() async throws {
    try await home.diary("init", "j")
    try home.write("# A\n\nSoup.\n", to: "j/a.md")
    try home.write("# B\n\nRain.\n", to: "j/b.md")
    try await home.diary("save", in: "j")
    for title in ["A", "B", "A"] {
      try await home.diary("add", "--to", title, "More of \(title).", in: "j")
    }
    try await home.diary("star", "A", in: "j")
    try await home.diary("undo", "--yes", in: "j")
    try home.write("mine now\n", to: "j/b.md")
    let lines = try await home.diary("undo", "--list", in: "j").output.split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasSuffix("  Star \"A\"; undone"), "\(lines)")
    #expect(lines[1].hasSuffix("  Add to \"A\""), "\(lines)")
    #expect(lines[2].contains("Add to \"B\"; cannot be undone: b.md changed"), "\(lines)")
    #expect(lines[3].hasSuffix("  Add to \"A\"; only after the one above"), "\(lines)")
    let json = try await home.diary("undo", "--list", "--json", in: "j").output
    #expect(json.contains("\"changed\":[],\"command\":\"star\",\"possible\":true"), "\(json)")
    #expect(json.contains("\"changed\":[\"b.md\"]"), "\(json)")
    #expect(try await home.diary("undo", "--json", in: "j").status == 64)
  }

  @Test func `an undo of a pushed operation says that other devices get it`() async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    try await home.diary("init", "j", "--remote", "remote.git")
    try await home.diary("new", "One", "--message", "first", in: "j")
    try await home.diary("sync", in: "j")
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(
      undone.output == "Undone: Write the entry \"One\"; your other devices get this, too; "
        + "to redo it: diary redo\n", "\(undone)")
    try await home.diary("sync", in: "j")
    #expect(try await home.diary("redo", "--yes", in: "j").output.contains("your other devices"))
  }

  @Test func `undo and redo are told in Korean`() async throws {
    home.set("LC_ALL", "ko_KR.UTF-8")
    try await home.diary("init", "j")
    try await home.diary("new", "늦은 차", "--message", "차", in: "j")
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.output == "\"늦은 차\" 새로 쓰기를 되돌렸습니다. 다시 하려면: diary redo\n", "\(undone)")
    let redone = try await home.diary("redo", "--yes", in: "j")
    #expect(redone.output == "\"늦은 차\" 새로 쓰기를 다시 했습니다. 되돌리려면: diary undo\n", "\(redone)")
  }

  @Test func `an operation of a later version is undone like any other`() async throws {
    try await home.diary("init", "j")
    try home.write("# A\n\nSoup.\n", to: "j/a.md")
    try await home.diary("save", in: "j")
    try await home.diary("star", "A", in: "j")
    let state = "j/.git/diary/operations.json"
    try home.write(
      try home.read(state).replacing("\"verb\":\"star\"", with: "\"verb\":\"crown\""), to: state)
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.errors.contains(": crown \"A\"\n"), "\(undone)")
    #expect(try home.read("j/a.md") == "# A\n\nSoup.\n")
    try await home.diary("redo", "--yes", in: "j")
    #expect(try home.read("j/a.md").contains("starred: true"))
  }

  @Test func `undoing an import keeps edited entries, and it can be repeated`() async throws {
    try await home.diary("init", "j")
    try home.write(
      """
      [{"title": "A", "body": "one", "created_at": 1751328000},
       {"title": "B", "body": "two", "created_at": 1751414400}]
      """, to: "export.json")
    try await home.diary("import", home.homePath + "/export.json", in: "j")
    let files = home.files(in: "j").filter { $0 != "INDEX.md" }
    #expect(files.count == 2)
    try home.write("edited\n", to: "j/" + files[0])
    let undone = try await home.diary("undo", "--yes", "--keep-changed", in: "j")
    #expect(undone.errors.contains("left out: \(files[0]) changed since then"), "\(undone)")
    #expect(home.files(in: "j").filter { $0 != "INDEX.md" } == [files[0]])
    let again = try await home.diary("import", home.homePath + "/export.json", in: "j")
    #expect(again.output.hasPrefix("Imported 2 entries"), "\(again)")
  }

  @Test func `the list shows an earlier time and deleted entries`() async throws {
    try await home.diary("init", "j")
    home.set("GIT_AUTHOR_NAME", "Test Writer")
    try await home.diary("new", "Kept", "--message", "x", "--date", "2026-11-19", in: "j")
    try await home.diary("new", "Gone", "--message", "y", "--date", "2026-11-20", in: "j")
    let both = try await home.git("rev-parse", "HEAD", in: "j").prefix(12)
    try await home.diary("delete", "Gone", in: "j")
    try await home.diary("delete", "2026-11-20", "--yes", in: "j")
    let then = try await home.diary("list", "--at", String(both), in: "j")
    #expect(then.output.contains("Gone") && then.output.contains("Kept"), "\(then)")
    #expect(try await home.diary("list", in: "j").output.contains("Gone") == false)
    let deleted = try await home.diary("list", "--deleted", "--json", in: "j")
    #expect(
      deleted.output.contains("\"title\":\"Gone\"") && deleted.output.contains("\"deleted\":"))
    #expect(!deleted.output.contains("Kept"))
    let early = try await home.diary("list", "--at", "1999", in: "j")
    #expect(early.status == 2 && early.errors.contains("no save from 1999 or earlier"), "\(early)")
    // A new file has the deleted entry's path, so `restore` needs a version.
    try home.write("another\n", to: "j/2026/11/2026-11-20-gone.md")
    let other = try await home.diary("restore", "2026/11/2026-11-20-gone.md", in: "j")
    #expect(other.status == 64 && other.errors.contains("still exists"), "\(other)")
  }

  @Test func `an invalid argument is named`() async throws {
    try await home.diary("init", "j")
    for text in ["rain today", "rain again"] {
      try await home.diary("new", text, "--message", "x", "--date", "2026-11-20", in: "j")
      try await home.diary("delete", text, in: "j", input: "")
    }
    try await home.diary("delete", "2026-11-20.1", "2026-11-20.2", "--yes", in: "j")
    let several = try await home.diary("restore", "rain", in: "j")
    #expect(several.status == 64 && several.errors.contains("matches 2 deleted"), "\(several)")
    try await home.diary("restore", "rain today", in: "j")
    let early = try await home.diary("show", "1", "--at", "1999-01-01", in: "j")
    #expect(early.status == 2 && early.errors.contains("did not exist yet at 1999-01-01"))
    let many = try await home.diary("show", "1", "--at", "99", in: "j")
    #expect(many.status == 2 && many.errors.contains("versions"), "\(many)")
    let nonsense = try await home.diary("show", "1", "--at", "whenever", in: "j")
    #expect(nonsense.status == 64 && nonsense.errors.contains("is not a version"))
    let commit = try await home.diary("show", "1", "--at", "deadbeef", in: "j")
    #expect(commit.status == 2 && commit.errors.contains("there is no commit deadbeef"))

    let path = "2026/11/2026-11-20-rain-today.md"
    try home.write("# held\n", to: "j/" + path)
    let pen = try home.script("hold", "exec 3>>\"$1\"; echo held; sleep 30\n")
    try await BackgroundProcess.run(home, pen, [path], in: "j") { editor in
      #expect(await editor.prints("held"))
      let refused = try await home.diary("restore", path, "--at", "2", in: "j")
      #expect(refused.status == 1 && refused.errors.contains("open in an editor"), "\(refused)")
    }
    #expect(try home.read("j/" + path) == "# held\n")
  }
}
