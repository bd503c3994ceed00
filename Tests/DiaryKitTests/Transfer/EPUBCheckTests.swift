import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// EPUB files checked by EPUBCheck, the format's official checker.
@Suite struct EPUBCheckTests {
  private static let river = """
    ---
    title: The <river> & "more"
    date: 2026-11-20T21:04:00+09:00
    weather: Snow, -2°C
    tags: [winter & co]
    place: 서울
    ---

    ![ice <&>](ice.png) ![gone](no.png)

    | a | b |
    |---:|:-:|
    | 1 | **2** |

    - [x] done
    - [ ] open

    A note[^1], again[^1].

    [^1]: Words & <b>bold</b>.

    ---

    line <br> break <script>x</script>

    """

  private static let snow = """
    ---
    date: 2026-11-21
    ---
    # 눈이 왔다

    ![[ice.png]] \u{1}\u{FFFE} \u{202E}turned 🎉

    [a](http://[::1]/x) [b](https://example.org/a?c=한#d#e) [c](mailto:a@b.c) [d](http://%zz)
    [e](https://exa_mple.org:99999/) <https://example.org/?a=1&b=%20> [f](http:) [g](http://)

    1. one
    3. three

    """

  private static let notes =
    "No date. ~~struck~~\n\n> > deep\n\n```\n<code> & ]]>\n```\n\n"
    + "[![x](https://example.org/a.png)](https://example.org) [note[^1] x](https://example.org)\n\n"
    + "- one[^1] more\n- two\n\n[^1]: foot\n\n"
    + String(repeating: "> ", count: 99) + "| a |\n" + String(repeating: "> ", count: 99)
    + "|---|\n"
  private static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  @Test func `EPUBCheck finds no error in an EPUB of unusual entries`() async throws {
    let world = try await TestJournal([
      "2026/11/2026-11-20-river.md": Self.river, "2026/11/2026-11-21-snow.md": Self.snow,
      "notes.md": Self.notes, "empty.md": "",
    ])
    try Data(base64Encoded: Self.picture)?.write(
      to: URL(fileURLWithPath: world.home.homePath + "/j/2026/11/ice.png"))
    let journal = try world.journal()
    for (name, locale) in [("a.epub", "ko_KR"), ("b.epub", "C")] {
      _ = try await journal.transfer.export(
        try await journal.catalog.list(), as: .epub, to: .path(name, replacing: false),
        ExportOptions(locale: UserLocale(named: locale), title: "일기\u{FFFE} & <book>\u{FFFF}")
      ) { _, _ in }
      let result = try await world.home.run(
        "java", ["-jar", "/usr/share/java/epubcheck.jar", world.home.homePath + "/" + name])
      #expect(result.status == 0, "\(result)")
      #expect(result.output.contains("No errors or warnings detected"), "\(result)")
    }
  }
}
