import DiaryCore
import Testing

struct MergeMessageTests {
  @Test func `the entries to review are read back, with any names`() throws {
    let names = [
      "2026/11/2026-11-21-walk.md", "산책/비 오는 날.md", "100% done.md", "\"quoted\".md",
      "line\nbreak.md", "ends with a blank ", "Review: x.md", "tab\t.md",
    ]
    let paths =
      try names.map { try #require(EntryPath($0)) }
      + [try #require(EntryPath(bytes: [0xFF, 0x2E, 0x6D]))]
    let message = mergeMessage(review: paths)
    #expect(message.hasSuffix("\nDiary-Merge: 3\n"))
    #expect(message.split(separator: "\n").count == 2 + paths.count)
    #expect(entriesToReview(inMessage: message) == paths.sorted())
    #expect(entriesToReview(inMessage: mergeMessage(review: [])) == [])
  }

  @Test func `a message with another number is read, a foreign message is not`() throws {
    for number in [1, 2, 40] {
      let message = "Merge two\n\nReview: a.md\nMore: b.md\nDiary-Merge: \(number)\n"
      #expect(entriesToReview(inMessage: message) == [try #require(EntryPath("a.md"))])
    }
    #expect(entriesToReview(inMessage: "Merge branch 'main'\n\nReview: a.md\n") == nil)
  }
}
