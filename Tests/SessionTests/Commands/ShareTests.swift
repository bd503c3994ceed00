import Foundation
import TestSupport
import Testing

/// Entries shared by the built program.
@Suite(.serialized) struct ShareTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  /// A journal of three entries; the newest is number 1.
  private func createEntries() async throws {
    try await home.diary("init", "j")
    for (day, words) in [
      ("20", "The **river** froze."), ("21", "눈이 왔다.\u{1B}[31m"), ("22", "Thaw."),
    ] {
      try home.write(
        "---\ntitle: Day \(day)\ndate: 2026-11-\(day)T21:04:00+09:00\nweather: Snow, -2°C\n"
          + "tags: [winter]\nsecret: mine\n---\n\n\(words)\n", to: "j/2026/11/2026-11-\(day)-day.md"
      )
    }
  }

  @Test func `one entry in every format, on standard output`() async throws {
    try await createEntries()
    let clean = try await home.diary("share", "Day 20", in: "j")
    #expect(
      clean.output
        == "# Day 20\n\n2026-11-20 21:04 · Snow, -2°C\n\nThe **river** froze.\n\n#winter\n",
      "\(clean)")
    let text = try await home.diary("share", "3", "--format", "text", in: "j")
    #expect(
      text.output.hasPrefix("Day 20\n======\n2026-11-20 21:04 · Snow, -2°C\n\nThe river froze."))
    let page = try await home.diary("share", "3", "--format", "html", in: "j")
    #expect(page.output.hasPrefix("<!DOCTYPE html>"))
    #expect(page.output.contains("<p>The <strong>river</strong> froze.</p>"))
    for copy in [clean, text, page] { #expect(!copy.output.contains("mine")) }
    let form = try await home.diary("share", "3", "--format", "json", in: "j")
    let listed = try await home.diary("list", "--on", "2026-11-20", "--json", in: "j")
    #expect(
      form.output.replacing("\"body\":\"\\nThe **river** froze.\\n\",", with: "") == listed.output)
    let wrong = try await home.diary("share", "3", "--format", "pdf", in: "j")
    #expect(wrong.status == 64)
  }

  @Test func `several entries make one document, the oldest first`() async throws {
    try await createEntries()
    let all = try await home.diary("share", "--tag", "winter", in: "j")
    let titles = all.output.split(separator: "\n").filter { $0.hasPrefix("# ") }
    #expect(titles == ["# Day 20", "# Day 21", "# Day 22"])
    let some = try await home.diary("share", "1", "2026-11-20", "1", "Day 20", in: "j")
    #expect(
      some.output.split(separator: "\n").filter { $0.hasPrefix("# ") } == ["# Day 20", "# Day 22"],
      "\(some)")
    let newest = try await home.diary("share", "-n", "2", "--format", "text", in: "j")
    #expect(newest.output.hasPrefix("Day 21\n") && newest.output.contains("\nDay 22\n"))
    let words = try await home.diary("share", "Day", "22", in: "j")
    #expect(words.output.hasPrefix("# Day 22\n"), "\(words)")
  }

  @Test func `an ambiguous or empty selection is refused`() async throws {
    try await createEntries()
    for arguments in [["share"], ["share", "1", "--tag", "winter"], ["share", "1", "--force"]] {
      let result = try await home.run(Sandbox.programs + "/diary", arguments, in: "j")
      #expect(result.status == 64, "\(arguments): \(result)")
    }
    let many = try await home.diary("share", "day", in: "j")
    #expect(many.status == 64 && many.errors.contains("\"day\" matches 3 entries"), "\(many)")
    let none = try await home.diary("share", "nowhere", in: "j")
    #expect(none.status == 2)
    let empty = try await home.diary("share", "--tag", "summer", in: "j")
    #expect(empty.status == 2 && empty.errors.contains("no entry matches"))
  }

  @Test func `a file is written completely and never overwritten by default`() async throws {
    try await createEntries()
    let made = try await home.diary("share", "1", "--output", "../page.html", in: "j")
    #expect(made.status == 0 && made.output.isEmpty, "\(made)")
    #expect(try home.read("page.html").hasPrefix("<!DOCTYPE html>"))
    let again = try await home.diary("share", "2", "-o", "../page.html", in: "j")
    #expect(again.status == 1 && again.errors.contains("use --force"), "\(again)")
    #expect(try home.read("page.html").contains("Thaw."))
    let forced = try await home.diary("share", "2", "-o", "../page.html", "--force", in: "j")
    #expect(forced.status == 0)
    #expect(try home.read("page.html").contains("눈이 왔다.\\x1B[31m"))
    let asText = try await home.diary("share", "1", "-o", "../a.txt", in: "j")
    #expect(asText.status == 0)
    #expect(try home.read("a.txt").hasPrefix("Day 22\n=="))
    let entry = try await home.diary("share", "1", "-o", "copy.md", in: "j")
    #expect(entry.status == 1 && entry.errors.contains("would become an entry"), "\(entry)")
    let folder = try await home.diary("share", "1", "-o", "../j", "--force", in: "j")
    #expect(folder.status == 1 && folder.errors.contains("not a regular file"))
    let nowhere = try await home.diary("share", "1", "-o", "../no/such.html", in: "j")
    #expect(nowhere.status == 1 && nowhere.errors.contains("cannot write ../no/such.html"))
    let left = try FileManager.default.contentsOfDirectory(atPath: home.homePath)
    #expect(!left.contains { $0.hasSuffix(".part") })
  }

  @Test func `the page embeds pictures of the journal and no other file`() async throws {
    try await home.diary("init", "j")
    let picture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
    try home.write("outside", to: "secret.png")
    try home.write(
      "# Pictures\n\n![a](my%20river.png) ![b](../../../secret.png) ![c](/root.png) ![d](link.png)\n",
      to: "j/2026/11/2026-11-20-p.md")
    for name in ["j/2026/11/my river.png", "j/root.png", "secret.png"] {
      try Data(picture).write(to: URL(fileURLWithPath: home.homePath + "/" + name))
    }
    try FileManager.default.createSymbolicLink(
      atPath: home.homePath + "/j/2026/11/link.png",
      withDestinationPath: home.homePath + "/secret.png")
    let page = try await home.diary("share", "1", "--format", "html", in: "j")
    let code = Data(picture).base64EncodedString()
    #expect(page.output.components(separatedBy: "data:image/png;base64,\(code)").count == 3)
    #expect(page.output.contains("<span class=\"missing\">b</span>"))
    #expect(page.output.contains("<span class=\"missing\">d</span>"))
    #expect(page.errors.contains("skipped the picture ../../../secret.png"), "\(page.errors)")
  }

  @Test func `share copies with any available clipboard program`() async throws {
    try await createEntries()
    let none = try await home.diary("share", "1", "--to", "clipboard", in: "j")
    #expect(none.status == 1 && none.errors.contains("no clipboard found"), "\(none)")
    // A clipboard program keeps running with its outputs open; `share` must not wait for it.
    let serve = "echo \"$0 $*\" > \"$HOME/taken\"; cat >> \"$HOME/taken\"; sleep 30 &\n"
    for name in ["wl-copy", "xclip", "xsel"] { _ = try home.script(name, serve) }
    home.set("PATH", home.homePath + "/bin:" + (home.environment["PATH"] ?? ""))
    for (variable, program) in [("DISPLAY", "xclip"), ("WAYLAND_DISPLAY", "wl-copy")] {
      home.set(variable, "here")
      let taken = try await home.diary("share", "1", "--to", "clipboard", in: "j")
      #expect(taken.status == 0 && taken.errors.contains("with \(program)"), "\(taken)")
      #expect(try home.read("taken").contains("Thaw.\n"))
    }
    _ = try home.script("wl-copy", "exit 1\n")
    let page = try await home.diary("share", "1", "--to", "clipboard", "--format", "html", in: "j")
    #expect(page.errors.contains("with xclip"), "\(page)")
    #expect(try home.read("taken").contains("-target text/html\n<!DOCTYPE html>"))
  }

  @Test func `the terminal's clipboard is the fallback, and show formats an entry`()
    async throws
  {
    try await createEntries()
    let terminal = try await Terminal(home, in: "j", columns: 60)
    try await terminal.enter("diary show 3 | head -3; diary show 3")
    #expect(try await terminal.shows("The river froze."))
    let screen = try await terminal.screen()
    #expect(screen.contains("---\ntitle: Day 20"))
    #expect(screen.contains("Day 20\n2026-11-20 21:04 · ") && !screen.contains("**"), "\(screen)")
    try await terminal.enter("clear; diary share 2")
    #expect(try await terminal.shows("눈이 왔다.\\x1B[31m"))
    try await terminal.enter("clear; diary share 3 --to clipboard")
    #expect(try await terminal.shows("Copied to the clipboard of the terminal."))
    try await terminal.enter("clear; tmux -S ~/tmux show-options -s set-clipboard")
    #expect(try await terminal.shows("set-clipboard"))
    await terminal.close()
  }

  @Test func `the terminal's clipboard sequence contains the text, up to a limit`() async throws {
    try await createEntries()
    // A terminal that records all its input.
    let line = "stty -onlcr; diary share 3 --to clipboard --quiet"
    try await home.run("script", ["-qec", line, "typescript"], in: "j")
    let seen = try home.read("j/typescript")
    let text = "# Day 20\n\n2026-11-20 21:04 · Snow, -2°C\n\nThe **river** froze.\n\n#winter\n"
    #expect(seen.contains("\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{7}"), "\(seen)")
    try home.write("# Long\n\n" + String(repeating: "long ", count: 20_000), to: "j/long.md")
    try await home.run("script", ["-qec", "diary share long.md --to clipboard", "t2"], in: "j")
    #expect(try home.read("j/t2").contains("too long for the terminal's clipboard"))
  }

  @Test func `a mail has subject and text, and is refused if too long`()
    async throws
  {
    try await createEntries()
    _ = try home.script("xdg-open", "printf '%s' \"$1\" > \"$HOME/opened\"\n")
    home.set("PATH", home.homePath + "/bin:" + (home.environment["PATH"] ?? ""))
    let sent = try await home.diary("share", "2", "--to", "mail", in: "j")
    #expect(sent.status == 0, "\(sent)")
    let link = try home.read("opened")
    #expect(link.hasPrefix("mailto:?subject=Day%2021&body=Day%2021%0D%0A%3D%3D"), "\(link)")
    #expect(link.contains("%EB%88%88%EC%9D%B4%20%EC%99%94%EB%8B%A4.%5Cx1B%5B31m"))
    #expect(link.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
    try home.write("# Long\n\n" + String(repeating: "긴 글 ", count: 4_000), to: "j/long.md")
    let long = try await home.diary("share", "long.md", "--to", "mail", in: "j")
    #expect(long.status == 1 && long.errors.contains("too long for a mail link"), "\(long)")
    #expect(long.errors.contains("--output entry.html"))
    let page = try await home.diary("share", "2", "--to", "mail", "--format", "html", in: "j")
    #expect(page.status == 64)
    _ = try home.script("xdg-open", "exit 3\n")
    let failed = try await home.diary("share", "2", "--to", "mail", in: "j")
    #expect(failed.status == 1 && failed.errors.contains("xdg-open: exit code 3"))
  }

  @Test func `dates are in the user's language`() async throws {
    try await createEntries()
    home.set("LANG", "ko_KR.UTF-8")
    let page = try await home.diary("share", "3", "--format", "html", in: "j")
    #expect(page.output.contains("<html lang=\"ko-KR\">"))
    #expect(
      page.output.contains(">2026년 11월 20일 금요일, 오후 9:04</time>"), "\(page.output.suffix(900))")
  }
}
