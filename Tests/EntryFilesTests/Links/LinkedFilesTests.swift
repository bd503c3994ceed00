import TestSupport
import DiaryCore
import EntryFiles
import Testing

@Suite struct LinkedFilesTests {
  private func foundFiles(_ body: String, _ entry: String = "2026/11/a.md") -> [String] {
    var paths: [String] = []
    for path in fileReferences(in: body, of: path(entry)).flatMap(\.candidates)
    where !paths.contains(path.text) { paths.append(path.text) }
    return paths
  }

  @Test(arguments: [
    ("![the river](river.jpg)", ["2026/11/river.jpg"]),
    ("[listen](../sound/rain.m4a)", ["2026/sound/rain.m4a"]),
    ("![](/photos/a.png)", ["photos/a.png"]),
    ("![](./x/../b.webp \"a title\")", ["2026/11/b.webp"]),
    ("![](<my photo.jpg>)", ["2026/11/my photo.jpg"]),
    ("![](my photo.jpg)", ["2026/11/my photo.jpg"]),
    ("![](caf%C3%A9.jpg)", ["2026/11/café.jpg", "2026/11/caf%C3%A9.jpg"]),
    ("![](100%.jpg)", ["2026/11/100%.jpg"]),
    ("![](a(1).jpg) and ![](b.jpg)", ["2026/11/a(1).jpg", "2026/11/b.jpg"]),
    ("[the plan](plan.pdf#page=2)", ["2026/11/plan.pdf"]),
    ("![[ferry.jpg|300]]", ["2026/11/ferry.jpg", "ferry.jpg"]),
    ("![[img/ferry.jpg]]", ["2026/11/img/ferry.jpg"]),
    ("![a][1]\n\n[1]: pic.gif 'title'\n", ["2026/11/pic.gif"]),
    ("<img alt=\"x\" src=\"c.jpg\"> <a href='d.pdf'>", ["2026/11/c.jpg", "2026/11/d.pdf"]),
    ("![](a\\_b.jpg)", ["2026/11/a_b.jpg"]),
    ("![](one.jpg)![](one.jpg)", ["2026/11/one.jpg"]),
    ("![한강](한강.jpg)", ["2026/11/한강.jpg"]),
    ("![](PHOTO.JPG)", ["2026/11/PHOTO.JPG"]),
  ])
  func `finds what an entry shows`(_ body: String, _ expected: [String]) {
    #expect(foundFiles(body) == expected)
  }

  @Test(arguments: [
    "[site](https://example.org/a.jpg)", "![]({{ site.url }}/a.png)", "![](//host/a.jpg)",
    "![](data:image/png;base64,AA)",
    "![](../../../etc/a.jpg)", "![](/../a.jpg)", "[other](b.md)", "[key](id_rsa)", "![]()", "![](",
    "![](.hidden/a.jpg)", "[[Another note]]", "![[", "a]: ", "plain words a.jpg", "![](C:/a.jpg)",
    "![](a\nb.jpg)",
  ])
  func `finds nothing that is not a file of the journal`(_ body: String) {
    #expect(foundFiles(body) == [])
  }

  @Test func `an entry at the root refers to the root`() {
    #expect(foundFiles("![](a.jpg) ![](../b.jpg)", "note.md") == ["a.jpg"])
  }

  @Test func `no text makes it slow or crash`() throws {
    var random = SeededGenerator()
    let parts = [
      "[", "]", "(", ")", "!", "<", ">", "|", "\\", "\"", "#", "%", "%2", "src=", "a.jpg", "\n",
    ]
    for _ in 0..<100 {
      let body = (0..<60).compactMap { _ in parts.randomElement(using: &random) }.joined()
      for file in foundFiles(body) { #expect(EntryPath(file) != nil, "\(random): \(body)") }
    }
    for part in ["[[", "](", "](<", "]:", "src=\""] {
      let isFast = try growsLinearly(to: 20_000) {
        #expect(foundFiles(String(repeating: part, count: $0)).isEmpty)
      }
      #expect(isFast, "\(part)")
    }
  }
}
