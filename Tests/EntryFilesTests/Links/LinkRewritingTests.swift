import DiaryCore
import EntryFiles
import TestSupport
import Testing

@Suite struct LinkRewritingTests {
  private func rewritten(_ body: String, in entry: String = "a.md") -> String? {
    EntryText(Array(body.utf8)).rewritingLinks(
      in: path(entry), from: path("day.md"), to: path("new.md")
    ).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test(arguments: [
    ("[g](day.md)", "[g](new.md)"), ("![g](day.md#a \"t\")", "![g](new.md#a \"t\")"),
    ("[g](day.md?w=3#x)", "[g](new.md?w=3#x)"), ("[g](./day.md)", "[g](./new.md)"),
    ("[[day]] and [[day.md|x]]", "[[new]] and [[new.md|x]]"),
    ("| [[day\\|x]] |", "| [[new\\|x]] |"), ("[g]: day.md", "[g]: new.md"),
    ("<a href=\"day.md\">x</a>", "<a href=\"new.md\">x</a>"),
    ("[`[` g](day.md)", "[`[` g](new.md)"), ("\\\\[g](day.md)", "\\\\[g](new.md)"),
    ("A ` tick.\n\n[g](day.md) ` tick", "A ` tick.\n\n[g](new.md) ` tick"),
    ("- a ` tick\n- [g](day.md) `", "- a ` tick\n- [g](new.md) `"),
    ("> a ` tick\n\n[g](day.md) `", "> a ` tick\n\n[g](new.md) `"),
    ("# a ` tick\n[g](day.md) `", "# a ` tick\n[g](new.md) `"),
    ("- item\n\n    [g](day.md)", "- item\n\n    [g](new.md)"),
    ("`[g](day.md)` [g](day.md)", "`[g](day.md)` [g](new.md)"),
    ("```\n[g](day.md)\n```\n[g](day.md)", "```\n[g](day.md)\n```\n[g](new.md)"),
  ])
  func `a link is changed`(_ before: String, _ after: String) {
    #expect(rewritten(before) == after)
  }

  @Test(arguments: [
    "`[g](day.md)`", "``a ` [g](day.md)``", "`a\n[g](day.md)`", "~~~\n[g](day.md)\n~~~",
    "```md\n[[day]]\n", "text\n\n    [g](day.md)\n", "\t[g]: day.md", "> ```\n> [g](day.md)\n> ```",
    "\\[g](day.md)", "[g\\](day.md)", "\\[[day]]", "g](day.md)", "`<a href=\"day.md\">`",
    "[a\n\ng](day.md)",
  ])
  func `text that looks like a link is not changed`(_ body: String) {
    #expect(rewritten(body) == nil)
  }

  @Test func `no text makes it slow`() throws {
    for part in ["[[", "[", "](", "`[", "`` ` ", "[a](b.md)", "a\n[x](y.md)\n\n", "\\]("] {
      let isFast = try growsLinearly(to: 20_000) {
        #expect(rewritten(String(repeating: part, count: $0)) == nil)
      }
      #expect(isFast, "\(part)")
    }
  }
}
