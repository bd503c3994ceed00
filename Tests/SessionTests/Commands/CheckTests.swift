import TestSupport
import Testing

/// What `check` says of links and files.
@Suite(.serialized) struct CheckTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  @Test func `links that lead nowhere are problems, and files that nothing shows are listed`()
    async throws
  {
    try home.write(
      """
      ---
      title: Links
      date: 2026-11-20
      ---

      ![](gone.png) and ![there](p%201.png), [note](other.md#part), [lost](../lost.md)
      `![](code.png)` <https://x.org/a.png> [www](www.x.org) [mail](mailto:a@b.c) [part](#part)
      <!-- ![x](no.png) --> text src="no.png" <img src="no2.png"> %% ![x](no.png) %%

      [^1]: As I wrote in notes.md
      and [12:30]: see notes.md or ](a b.md)
      ![[wiki.png]] ![[deep.jpg]] [[A note that is yet to be written]]

      """, to: "j/2026/2026-11-20.md")
    try home.write("# Other\n", to: "j/2026/other.md")
    for name in ["2026/p 1.png", "media/deep.jpg", "media/alone.pdf", "media/ignored.pdf"] {
      try home.write("x", to: "j/" + name)
    }
    try home.write("ignored.pdf\n", to: "j/.gitignore")
    let found = try await home.diary("check", in: "j")
    #expect(found.status == 1)
    let lines = found.output.split(separator: "\n").filter { !$0.contains("undated") }
    #expect(
      lines == [
        "2026/2026-11-20.md:6: gone.png is shown here, but does not exist [broken-link]",
        "2026/2026-11-20.md:6: ../lost.md is linked here, but does not exist [broken-link]",
        "2026/2026-11-20.md:8: no2.png is shown here, but does not exist [broken-link]",
        "2026/2026-11-20.md:12: wiki.png is shown here, but does not exist [broken-link]",
        "media/alone.pdf: no entry shows this file [unused-file]",
      ], "\(found)")
  }

  @Test func `a file that nothing shows is no problem`() async throws {
    try home.write("A day.\n", to: "j/2026-11-20.md")
    try home.write("x", to: "j/alone.png")
    let found = try await home.diary("check", in: "j")
    #expect(found.status == 0 && found.output.contains("alone.png: no entry"), "\(found)")
    #expect(found.errors.contains("1 entry checked, no problems."), "\(found)")
    let json = try await home.diary("check", "--json", in: "j")
    #expect(json.output.contains("\"code\":\"unused-file\""), "\(json)")
    #expect(try await home.diary("check", "--paths", in: "j").output == "")
  }
}
