import DiaryCore
import EntryFormats
import Testing

@Suite struct JrnlExportTests {
  private func jrnl(_ file: String) throws -> String? { jrnlText(of: try whole(file)) }

  @Test func `title, body and star are written as jrnl expects them`() throws {
    let file =
      "---\ntitle: A walk\ndate: 2026-11-21T21:04:00+09:00\nstarred: true\n---\n\nIt rained.\n"
    #expect(try jrnl(file) == "[2026-11-21 21:04] A walk *\nIt rained.\n")
    #expect(
      try jrnl(dated("# A walk\n\nIt *rained*.\n")) == "[2026-11-21 21:04] A walk\nIt *rained*.\n")
    #expect(
      try jrnl(dated("A **walk**.\n\nIt rained.")) == "[2026-11-21 21:04] A **walk**.\nIt rained.\n"
    )
    #expect(try jrnl(dated("", "2026-11-21")) == "[2026-11-21] walk\n")
    #expect(
      try jrnl(dated("Five stars*", "2026-11-21T21:04:07Z"))
        == "[2026-11-21 21:04:07] Five stars*.\n")
  }

  @Test func `an undated entry is not exported to jrnl`() throws {
    #expect(jrnlText(of: try whole("Words.", path: "walk.md")) == nil)
  }

  @Test func `a line that jrnl would read as an entry is indented by a space`() throws {
    let body =
      "First.\n[2020-01-01 10:00] no entry\n[link](x) is left\n[over\nlines] too\n - [x] done"
    #expect(
      try jrnl(dated("# T\n\n" + body))
        == "[2026-11-21 21:04] T\nFirst.\n [2020-01-01 10:00] no entry\n[link](x) is left\n [over\nlines] too\n"
        + " - [x] done\n")
  }

  @Test func `header tags are written below the body, tags of the text stay`() throws {
    let file =
      "---\ntitle: T\ndate: 2026-11-21\ntags: [family, two words, 산책]\n---\nWith #family.\n"
    #expect(try jrnl(file) == "[2026-11-21] T\nWith #family.\n\n@two_words @산책\n")
  }
}
