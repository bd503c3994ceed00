import DiaryCore
import Testing

/// Paths inside a journal, which can never lead outside it.
@Suite struct EntryPathTests {
  @Test(arguments: [
    "", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "a/./b", "../a", "a/..", "a/../b", "\0",
    "a\0", "a/b\0c",
  ])
  func `an empty, absolute or relative path is refused`(_ text: String) {
    #expect(EntryPath(text) == nil)
    #expect(EntryPath(bytes: Array(text.utf8)) == nil)
    #expect(EntryPath("folder")?.appending(Array(text.utf8)) == nil)
  }

  @Test(arguments: ["a", "...", ".a", "..a", "a.", "a..", "a/...", "a/.b", "한 강/2026.md", "\n"])
  func `any other path is accepted`(_ text: String) throws {
    #expect(EntryPath(text)?.text == text)
    #expect(EntryPath("folder")?.appending(Array(text.utf8))?.text == "folder/" + text)
  }
}
