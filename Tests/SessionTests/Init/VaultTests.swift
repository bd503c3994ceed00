import TestSupport
import Testing

/// A vault of Obsidian, beside that program.
@Suite(.serialized) struct VaultTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  private func makeVault() async throws {
    try home.write(
      #"{"folder": "Daily", "template": "Templates/Day"}"#, to: "j/.obsidian/daily-notes.json")
    try home.write(
      "# {{title}}\n\n{{date:dddd, D. MMM [at] YYYY}} {{time:HH}} {{date:gg}} {{date}}\n\n## Log\n",
      to: "j/Templates/Day.md")
    try home.write("Plan\n", to: "j/Daily/2026-11-01-plan.md")
    try await home.diary("init", "j", "--yes")
  }

  @Test func `a new daily note has the text of the vault's template`() async throws {
    try await makeVault()
    try await home.diary("new", "-m", "Rain.", "--date", "2026-11-20 21:04", in: "j")
    let text = try home.read("j/Daily/2026-11-20.md")
    #expect(
      text.hasSuffix(
        "# 2026-11-20\n\nFriday, 20. Nov at 2026 21 {{date:gg}} 2026-11-20\n\n## Log\n\nRain.\n"),
      "\(text)")
    try await home.diary("new", "Trip", "-m", "Sun.", in: "j")
    let other = try await home.diary("show", "1", "--json", in: "j")
    #expect(!other.output.contains("Log"), "\(other)")
    try home.write("\u{0}", to: "j/Templates/Day.md")
    let plain = try await home.diary("new", "-m", "x", "--date", "2026-11-19", in: "j")
    #expect(plain.errors.contains("Templates/Day.md of the vault cannot be read"), "\(plain)")
    #expect(try home.read("j/Daily/2026-11-19.md").hasSuffix("---\n\nx\n"))
  }

  @Test func `a renamed daily note keeps its name`() async throws {
    try await makeVault()
    try await home.diary("new", "-m", "Rain.", "--date", "2026-11-20", in: "j")
    let renamed = try await home.diary("rename", "2026-11-20", "A wet day", in: "j")
    #expect(renamed.output.hasSuffix("/Daily/2026-11-20.md\n"), "\(renamed)")
    #expect(try home.read("j/Daily/2026-11-20.md").contains("title: A wet day\n"))
    let other = try await home.diary("rename", "plan", "Two plans", in: "j")
    #expect(other.output.hasSuffix("/Daily/2026-11-01-two-plans.md\n"), "\(other)")
  }

  @Test(arguments: [
    ("files", "files/a b.png", "../files/a%20b.png"), ("/", "a b.png", "../a%20b.png"),
    ("./", "Daily/a b.png", "a%20b.png"), ("./in", "Daily/in/a b.png", "in/a%20b.png"),
    ("a (b/F: 1", "a (b/F: 1/a b.png", "../a%20%28b/F:%201/a%20b.png"),
    ("../../out", "Daily/a b.png", "a%20b.png"),
    ("Daily/2026-11-01-plan.md", "Daily/a b.png", "a%20b.png"),
    (".hidden", "Daily/a b.png", "a%20b.png"),
  ])
  func `attachments go where the vault has them`(
    _ setting: String, _ place: String, _ link: String
  ) async throws {
    try await makeVault()
    try home.write(#"{"attachmentFolderPath": "\#(setting)"}"#, to: "j/.obsidian/app.json")
    try home.write("x", to: "a b.png")
    try await home.diary(
      "new", "Trip", "-m", "Sun.", "--date", "2026-11-20", "--attach", home.homePath + "/a b.png",
      in: "j")
    #expect(try home.read("j/" + place) == "x")
    let text = try home.read("j/Daily/2026-11-20-trip.md")
    #expect(text.hasSuffix("Sun.\n\n![a b](\(link))\n"), "\(text)")
    #expect(try await home.diary("check", in: "j").status == 0)
  }

  @Test func `check finds files as Obsidian does`() async throws {
    try await makeVault()
    try home.write(
      "![](pic.png) [n](2026-11-01-plan.md) ![](att/pic.png)\n", to: "j/Daily/2026-11-20.md")
    try home.write("---\nbanner: \"[[head.png]]\"\n---\nx\n", to: "j/Daily/2026-11-21.md")
    try home.write("{\"file\": \"att/drawn.png\"}", to: "j/board.canvas")
    for name in ["pic", "head", "drawn"] { try home.write("x", to: "j/att/\(name).png") }
    let found = try await home.diary("check", in: "j")
    #expect(found.status == 0 && found.output == "", "\(found)")
  }

  @Test func `exports leave out comments, and have links, callouts and highlights`() async throws {
    try await makeVault()
    try home.write(
      """
      %%secret%% See [[2026-11-01-plan]], [[Daily/2026-11-01-plan|the plan]] and [[Nowhere]].

      %%
      secret `#secrettag ![[secret.png]]
      %%

      > [!tip] Think ==well==
      > of it

      """, to: "j/Daily/2026-11-20.md")
    try home.write("x", to: "j/secret.png")
    try await home.diary("save", in: "j")
    try await home.diary("export", home.homePath + "/site", "--format", "site", in: "j")
    let page = try home.read("site/2026/11.html")
    #expect(
      page.contains(#"<a href="11.html#2026-11-01-plan">the plan</a> and [[Nowhere]]"#), "\(page)")
    #expect(page.contains("<strong>Think <mark>well</mark></strong><br>\nof it"), "\(page)")
    let site = try await home.run("grep", ["-r", "secret", "site"], in: "")
    #expect(site.output == "", "\(site)")
    #expect(!home.exists("site/files/secret.png") && !home.exists("site/tags/secrettag.html"))
    try await home.diary("export", home.homePath + "/b.epub", in: "j")
    let book = try await home.run("unzip", ["-p", "b.epub"], in: "").output
    #expect(book.contains(#"<a href="2026-11.xhtml#e1">the plan</a>"#), "\(book)")
    #expect(!book.contains("secret"))
    for format in ["md", "text", "html", "json"] {
      let shared = try await home.diary("share", "2026-11-20", "--format", format, in: "j").output
      #expect(shared.contains("the plan") && !shared.contains("secret"), "\(shared)")
    }
    let whole = try await home.diary("export", "-", "--format", "json", in: "j").output
    #expect(whole.contains("secret"))
    let terminal = try await home.diary("list", in: "j").output
    #expect(!terminal.contains("secret"), "\(terminal)")
  }
}
