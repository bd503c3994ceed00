import Foundation
import TestSupport
import Testing

/// The past of an entry with the built program: every version seen, shown and brought back.
@Suite(.serialized) struct HistoryTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  private struct Version: Decodable, Equatable {
    var at: String
    var commit: String
    var message: String
    var path: String
    var added: Int
    var removed: Int
  }

  private func history(_ reference: String) async throws -> [Version] {
    let result = try await home.diary("history", reference, "--json", in: "j")
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode([Version].self, from: Data(result.output.utf8))
  }

  private func bytes(_ path: String) throws -> Data {
    try #require(FileManager.default.contents(atPath: home.home + "/j/" + path))
  }

  /// Three sittings of three saves each, by a watcher: nine texts.
  private func writeThreeSittings(_ path: String) async throws -> [String] {
    try home.write(
      "autosave: {settle: 0.2s, longest: 1s, sitting: 1h}\ntime_zone: Asia/Seoul\n",
      to: "j/.diary/config.yml")
    try await home.diary("save", in: "j")
    var texts: [String] = []
    for sitting in 1...3 {
      let base = texts
      texts += try await Background.running(
        home, Sandbox.programs + "/diary", ["watch"], in: "j"
      ) { watcher in
        #expect(await watcher.prints("inotify"), "\(watcher.output)")
        var written: [String] = []
        for save in 1...3 {
          let before = (base + written).last ?? "---\ntitle: 강가에서\ndate: 2026-11-20\n---\n"
          let text = before + "Sitting \(sitting), save \(save): 바람이 불었다.\n"
          try home.write(text, to: path)
          written.append(text)
          let count = base.count + written.count
          let isKept = try await Sandbox.holds {
            try await self.savedTexts(path) == count
          }
          #expect(isKept, "\(watcher.output)")
        }
        return written
      }
    }
    return texts
  }

  private func savedTexts(_ path: String) async throws -> Int {
    let name = String(path.dropFirst(2))
    let result = try await home.run(
      "git", ["rev-list", "--objects", "refs/diary/saves/main/main", "--", name], in: "j")
    let blobs = result.output.split(separator: "\n").filter { $0.hasSuffix(name) }
    return Set(blobs).count
  }

  @Test func `a scripted life, every version brought back byte for byte, also after gc`()
    async throws
  {
    try await home.diary("init", "j")
    let first = "j/2026/11/2026-11-20-강가에서.md"
    var texts = try await writeThreeSittings(first)
    #expect(try await home.git("log", "--format=%s", in: "j").contains("Write \"강가에서\""))

    let renamed = try await home.diary("rename", "1", "By the river", in: "j")
    let second = String(renamed.output.dropLast().dropFirst(home.home.count + 1))
    texts.append(try home.read(second))
    let third = "2026/11/by-hand.md"
    try await home.git("mv", String(second.dropFirst(2)), third, in: "j")
    try await home.git("commit", "-qm", "Move by hand", in: "j")
    try home.write(texts[9] + "After the move.\n", to: "j/" + third)
    texts.append(try home.read("j/" + third))
    try await home.diary("save", in: "j")

    #expect(try await home.diary("delete", third, "--yes", in: "j").status == 0)
    let restored = try await home.diary("restore", "By the river", in: "j")
    #expect(restored.output == home.home + "/j/" + third + "\n", "\(restored)")
    #expect(try home.read("j/" + third) == texts[10])

    try await home.git("clone", "-q", "j", "other", in: "")
    try home.write("# On the other device\n" + texts[10], to: "other/" + third)
    texts.append("# On the other device\n" + texts[10])
    try await home.git("commit", "-qam", "Edit elsewhere", in: "other")
    try home.write(texts[10] + "On this device.\n", to: "j/" + third)
    texts.append(texts[10] + "On this device.\n")
    try await home.diary("save", in: "j")
    try await home.git("pull", "-q", "--no-rebase", "--no-edit", "../other", "main", in: "j")
    texts.append(try home.read("j/" + third))

    try await expectEvery(texts, third)
    try await home.git("reflog", "expire", "--expire=now", "--all", in: "j")
    try await home.git("gc", "-q", "--prune=now", in: "j")
    try await expectEvery(texts, third)
    try await home.git("fsck", "--strict", in: "j")
  }

  /// Each text is shown by its number and by its commit, and restored.
  private func expectEvery(_ texts: [String], _ path: String) async throws {
    let versions = try await history(path)
    var shown: [String] = []
    for (ago, version) in versions.enumerated() {
      let byNumber = try await home.diary("show", path, "--at", "\(ago)", in: "j")
      guard byNumber.status == 0 else {
        #expect(byNumber.errors.contains("was deleted"), "\(byNumber.errors)")
        continue
      }
      let byCommit = try await home.diary("show", path, "--at", version.commit, in: "j")
      #expect(byCommit.output == byNumber.output, "\(version)")
      shown.append(byNumber.output)
    }
    #expect(Set(shown) == Set(texts), "\(versions)")
    #expect(shown.first == texts.last)
    #expect(versions.contains { $0.path.contains("강가에서") })
    let oldest = try #require(versions.last)
    #expect(oldest.added == 6 && oldest.removed == 0, "\(oldest)")

    let present = try bytes(path)
    for version in versions.reversed() where version.added + version.removed > 0 {
      let restored = try await home.diary("restore", path, "--at", version.commit, in: "j")
      guard restored.status == 0 else { continue }
      #expect(texts.contains(String(decoding: try bytes(path), as: UTF8.self)))
    }
    try await home.diary("restore", path, "--at", try #require(versions.first).commit, in: "j")
    #expect(try bytes(path) == present)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `undo takes back each verb, says so first, and can be undone`() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "One", "--message", "first", "--date", "2026-11-20", in: "j")
    let path = "j/2026/11/2026-11-20-one.md"
    let made = try home.read(path)
    let asked = try await home.diary("undo", in: "j")
    #expect(asked.status == 1 && asked.errors.contains("remove 2026/11/2026-11-20-one.md"))
    #expect(try home.read(path) == made)
    try await home.diary("undo", "--yes", in: "j")
    #expect(!home.exists(path))
    try await home.diary("undo", "--yes", in: "j")
    #expect(try home.read(path) == made)

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

  @Test func `an undone import leaves what was edited, and can be had again`() async throws {
    try await home.diary("init", "j")
    try home.write(
      """
      [{"title": "A", "body": "one", "created_at": 1751328000},
       {"title": "B", "body": "two", "created_at": 1751414400}]
      """, to: "export.json")
    try await home.diary("import", home.home + "/export.json", in: "j")
    let files = home.files(in: "j").filter { $0 != "INDEX.md" }
    #expect(files.count == 2)
    try home.write("edited\n", to: "j/" + files[0])
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.errors.contains("not undone: \(files[0]) changed since then"), "\(undone)")
    #expect(home.files(in: "j").filter { $0 != "INDEX.md" } == [files[0]])
    let again = try await home.diary("import", home.home + "/export.json", in: "j")
    #expect(again.output.hasPrefix("Imported 2 entries"), "\(again)")
  }

  @Test func `the list as it was, and what was deleted`() async throws {
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
    #expect(early.status == 2 && early.errors.contains("no save as old as 1999"), "\(early)")
    // Its name is taken by now: the deleted one gets a free one.
    try home.write("another\n", to: "j/2026/11/2026-11-20-gone.md")
    let other = try await home.diary("restore", "2026/11/2026-11-20-gone.md", in: "j")
    #expect(other.status == 64 && other.errors.contains("still exists"), "\(other)")
  }

  @Test func `bad input names the item`() async throws {
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
    try await Background.running(home, pen, [path], in: "j") { editor in
      #expect(await editor.prints("held"))
      let refused = try await home.diary("restore", path, "--at", "2", in: "j")
      #expect(refused.status == 1 && refused.errors.contains("open in an editor"), "\(refused)")
    }
    #expect(try home.read("j/" + path) == "# held\n")
  }
}
