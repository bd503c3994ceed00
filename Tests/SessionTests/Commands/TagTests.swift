import TestSupport
import Testing

/// Tags with `@`, and renaming a tag.
@Suite(.serialized) struct TagTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  @Test func `a tag is renamed everywhere in one step that can be undone`() async throws {
    let first = "---\ntags: [work, \"#home\"]   # mine\n---\n\nAt #work and #work/desk, `#work`.\n"
    let second = "Nothing at #worker.\n"
    try home.write(first, to: "j/2026-11-20.md")
    try home.write(second, to: "j/2026-11-21.md")
    try home.write("#Work\n", to: "j/2026-11-22.md")
    try await home.diary("save", in: "j")
    let renamed = try await home.diary("tags", "--rename", "#work", "job", in: "j")
    #expect(renamed.output == "Renamed #work to job in 2 entries.\n", "\(renamed)")
    #expect(
      try home.read("j/2026-11-20.md")
        == "---\ntags: [job, \"#home\"]   # mine\n---\n\nAt #job and #job/desk, `#work`.\n")
    #expect(try home.read("j/2026-11-21.md") == second)
    #expect(try home.read("j/2026-11-22.md") == "#job\n")
    #expect(
      try await home.git("log", "-1", "--format=%s", in: "j")
        == "Rename the tag #work to #job in 2 entries\n")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.output.hasPrefix("Undone: Rename the tag #work → #job;"), "\(undone)")
    #expect(try home.read("j/2026-11-20.md") == first)
    #expect(try home.read("j/2026-11-22.md") == "#Work\n")
    let listed = try await home.diary("tags", in: "j").output
    #expect(listed.contains("2  Work\n"), "\(listed)")
  }

  @Test func `an entry that is open or cannot be rewritten keeps its tag and is named`()
    async throws
  {
    try home.write("#work one\n", to: "j/2026-11-20.md")
    try home.write("#work two\n", to: "j/2026-11-21.md")
    try home.write("+++\ntags = [\"work\"]\n+++\nx\n", to: "j/2026-11-22.md")
    try await home.diary("save", in: "j")
    let pen = try home.script("hold", "exec 3>>\"$1\"; echo held; sleep 30\n")
    try await BackgroundProcess.run(home, pen, ["2026-11-20.md"], in: "j") { editor in
      #expect(await editor.prints("held"))
      let renamed = try await home.diary("tags", "--rename", "work", "job", in: "j")
      #expect(renamed.status == 1 && renamed.output.contains("in 1 entry."), "\(renamed)")
      #expect(renamed.errors.contains("2026-11-20.md is open in an editor"), "\(renamed)")
      #expect(renamed.errors.contains("2026-11-22.md: the header is TOML"), "\(renamed)")
    }
    #expect(try home.read("j/2026-11-20.md") == "#work one\n")
    #expect(try home.read("j/2026-11-21.md") == "#job two\n")
    for (words, status) in [
      (["nope", "x"], 2), (["work", "a b"], 64), (["work", "1"], 64), (["work", "#work"], 64),
      (["work"], 64),
    ] {
      let refused = try await home.run(
        Sandbox.programs + "/diary", ["tags", "--rename"] + words, in: "j")
      #expect(refused.status == Int32(status) && refused.errors.contains("hint: "), "\(refused)")
    }
  }

  @Test func `an import from jrnl makes its at signs tags, unless the settings say otherwise`()
    async throws
  {
    try home.write("[2025-01-01 10:00] Supper\nWith @anna.\n", to: "jrnl.txt")
    let imported = try await home.diary("import", home.homePath + "/jrnl.txt", in: "j")
    #expect(imported.errors.contains("tags.marks is now \"#@\""), "\(imported)")
    try await home.diary("today:", "Tea with @bob.", in: "j")
    let found = try await home.diary("list", "--tag", "@bob", in: "j")
    #expect(found.output.contains("Tea with"), "\(found)")
    #expect(try await home.diary("tags", in: "j").output == "1  anna\n1  bob\n")
    try await home.diary("init", "k")
    try await home.diary("config", "tags.marks", "#", in: "k")
    let plain = try await home.diary("import", home.homePath + "/jrnl.txt", in: "k")
    #expect(!plain.errors.contains("tags.marks"), "\(plain)")
    #expect(try await home.diary("config", "tags.marks", in: "k").output == "#\n")
  }
}
