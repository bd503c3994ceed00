import Testing

@testable import DiaryCore

/// A header with text above it, and moving it back to the top without losing text.
@Suite struct MisplacedHeaderTests {
  private func text(_ words: String) -> EntryText { EntryText(Array(words.utf8)) }

  @Test(arguments: [
    (
      "Today I began.\nGrandma called.---\ndate: 2026-11-22T21:48:41+00:00\n---\n\n",
      "---\ndate: 2026-11-22T21:48:41+00:00\n---\n\nToday I began.\nGrandma called.\n\n", 2
    ),
    (
      "Hello\n---\ntitle: Lake\ndate: 2026-11-22\ntags:\n  - a\n- b\n---\n\nOld words.\n",
      "---\ntitle: Lake\ndate: 2026-11-22\ntags:\n  - a\n- b\n---\n\nHello\n\nOld words.\n", 2
    ),
    (
      "\u{FEFF}Hi---\r\ndate: 2026-11-22\r\n---\r\nWords.",
      "\u{FEFF}---\r\ndate: 2026-11-22\r\n---\r\n\r\nHi\r\n\r\nWords.", 1
    ),
    ("x---\ndate: 2026-11-22\n---", "---\ndate: 2026-11-22\n---\n\nx\n", 1),
  ])
  func `a misplaced header is moved up`(_ words: String, _ repaired: String, _ line: Int) throws {
    let entry = text(words)
    #expect(entry.bodyLints.map(\.code) == ["header-not-at-top"])
    #expect(entry.bodyLints.first?.line == line)
    let back = try #require(entry.withHeaderAtTop())
    #expect(back.bytes == Array(repaired.utf8), "\(String(decoding: back.bytes, as: UTF8.self))")
    #expect(back.bodyLints.isEmpty && back.string("date")?.hasPrefix("2026-11-22") == true)
  }

  @Test(arguments: [
    "---\ndate: 2026-11-22\n---\nWords.\n---\ndate: 2026-11-23\n---\n",
    "Words.\n\n---\n\nMore words: of mine.\n\n---\n", "A\n---\nTo: Ben\nFrom: me\n---\nHello.\n",
    "```\nx\n---\ndate: 2026-11-22\n---\n```\n", "A table\n|---|---|\n| date: | x |\n---\n",
    "Words\n---\nDate: Friday\n---\n", "Words\n---\ndate: soon\n---\n",
    "Words\n---\ndate: 2026-11-22\nand then we left\n---\n", "Words\n----\ndate: 2026-11-22\n---\n",
    "Words\n---\ndate: 2026-11-22\nno end\n",
  ])
  func `other text is not taken for a misplaced header`(_ words: String) {
    #expect(text(words).bodyLints.isEmpty)
    #expect(text(words).withHeaderAtTop() == nil)
  }

  @Test func `a header without a date is recognised by the previous version`() throws {
    let former = text("---\ntitle: Lake\n---\n\nOld.\n")
    let now = text("New.\n---\ntitle: Lake\n---\n\nOld.\n")
    #expect(now.withHeaderAtTop() == nil)
    let back = try #require(now.withHeaderAtTop(previous: former))
    #expect(back.bytes == Array("---\ntitle: Lake\n---\n\nNew.\n\nOld.\n".utf8))
    let blank = text("\n\n---\ntitle: Lake\n---\n\nOld.\n")
    #expect(
      blank.withHeaderAtTop(previous: former)?.bytes
        == Array("---\ntitle: Lake\n---\n\n\n\nOld.\n".utf8))
  }

  @Test(arguments: [
    ("A\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n", 2), ("<<<<<<<\n=======\n>>>>>>>", 1),
    ("---\n<<<<<<< a\ntitle: x\n=======\ntitle: y\n>>>>>>> b\n---\n", 2),
  ])
  func `conflict markers are found`(_ words: String, _ line: Int) {
    #expect(text(words).bodyLints.map(\.code) == ["conflict-mark"])
    #expect(text(words).bodyLints.first?.line == line)
  }

  @Test(arguments: [
    "<<<<<<< a lot of arrows\n", "```\n<<<<<<< a\n=======\n>>>>>>> b\n```\n",
    "<<<<<<<<\n=======\n>>>>>>>\n", "A\n=======\n>>>>>>> quoted seven times\n",
  ])
  func `other text is not taken for a conflict`(_ words: String) {
    #expect(text(words).bodyLints.isEmpty)
  }

  @Test(arguments: [
    ("---\ndate: 2026-11-22\n---\n\n\n", 5), ("---\ndate: 2026-11-22\n---\n\n", 4),
    ("---\ndate: 2026-11-22\n---\n", 4), ("---\ndate: 2026-11-22\n---\n\nWords.\n", 5),
    ("---\ndate: 2026-11-22\n---\nWords.\n", 4), ("Words.\n", 1), ("", 1), ("\n\nWords.\n", 1),
  ])
  func `an editor opens at the first text below the header`(_ words: String, _ line: Int) {
    #expect(text(words).editorLine == line)
  }

  @Test(arguments: [
    ("ab\0c", 1, 3, "NUL"), ("ä\nöü\0", 2, 3, "NUL"),
    ("a" + String(repeating: "\u{301}", count: 31), 1, 32, "more combining marks"),
  ])
  func `a fault has its position`(_ words: String, _ line: Int, _ column: Int, _ reason: String)
    throws
  {
    let fault = try #require(TextFault(in: Array(words.utf8)))
    #expect(fault.line == line && fault.column == column, "\(fault)")
    #expect(fault.reason.contains(reason), "\(fault)")
  }

  @Test func `bytes that are not UTF-8 are a fault`() throws {
    let fault = try #require(TextFault(in: [0x61, 0x0A, 0x62, 0xFF, 0x00]))
    #expect(fault.line == 2 && fault.column == 2 && fault.reason.contains("UTF-8"))
    #expect(TextFault(in: Array("Grüße, 서울 👋🏽\n".utf8)) == nil && TextFault(in: []) == nil)
  }
}
