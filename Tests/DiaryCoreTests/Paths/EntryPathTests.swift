import DiaryCore
import Testing

/// What may name a place inside a journal: never one outside it.
@Suite struct EntryPathTests {
  @Test(arguments: [
    "", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b", "\0",
    "a\0", "a/b\0c",
  ])
  func `what leads elsewhere, or nowhere, is no path`(_ text: String) {
    #expect(EntryPath(text) == nil)
    #expect(EntryPath(bytes: Array(text.utf8)) == nil)
    #expect(EntryPath("folder")?.appending(Array(text.utf8)) == nil)
  }

  @Test(arguments: ["a", "...", ".a", "..a", "a.", "a..", "a/...", "a/.b", "한 강/2026.md", "\n"])
  func `all else is`(_ text: String) throws {
    #expect(EntryPath(text)?.text == text)
    #expect(EntryPath("folder")?.appending(Array(text.utf8))?.text == "folder/" + text)
  }
}
