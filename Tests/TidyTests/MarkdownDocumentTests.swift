import Foundation
import TestSupport
import Testing

/// Checks the links and the length of the documents.
@Suite struct MarkdownDocumentTests {
  /// The documents, as paths below the root.
  private static func documents() throws -> [String] {
    let folder = Project.root.appendingPathComponent("docs").path
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder)
    return ["README.md", "README.ko.md", "CONTRIBUTING.md"]
      + names.filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
  }

  private static func text(of url: URL) throws -> String {
    try String(contentsOf: url, encoding: .utf8)
  }

  private static func wordCount(_ path: String) throws -> Int {
    // The lines of a table are no words.
    try text(of: Project.root.appendingPathComponent(path)).split(whereSeparator: \.isWhitespace)
      .count { $0.contains { $0.isLetter || $0.isNumber } }
  }

  /// The names by which links find the headings of a document.
  private static func anchors(in text: String) -> Set<String> {
    Set(
      text.matches(of: #/(?m)^#+ (.+)$/#).map {
        $0.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          .replacing(" ", with: "-")
      })
  }

  @Test func `each link leads to a file and a heading that exist`() throws {
    var count = 0
    for path in try Self.documents() {
      let url = Project.root.appendingPathComponent(path)
      let text = try Self.text(of: url)
      let prose = text.replacing(#/(?s)```.*?```/#, with: "").replacing(#/`[^`\n]*`/#, with: "")
      for link in prose.matches(of: #/(?:\]\(|src=")([^)#"\s]*)(?:#([^)"\s]+))?[)"]/#)
      where !link.1.contains(":") {
        count += 1
        let target = url.deletingLastPathComponent().appendingPathComponent(String(link.1))
        let isPage = link.1.isEmpty || FileManager.default.fileExists(atPath: target.path)
        #expect(isPage, "\(path): \(link.0)")
        guard isPage, let anchor = link.2 else { continue }
        let page = link.1.isEmpty ? text : try Self.text(of: target)
        #expect(Self.anchors(in: page).contains(String(anchor)), "\(path): \(link.0)")
      }
    }
    #expect(count > 100)
  }

  @Test func `the README is short, and so are all documents together`() throws {
    #expect(try Self.wordCount("README.md") <= 900)
    #expect(try Self.wordCount("README.ko.md") <= 900)
    let recipes = try Self.documents().filter { $0.hasPrefix("docs/from/") }
    #expect(recipes.count == 5)
    for recipe in recipes { #expect(try Self.wordCount(recipe) <= 250, "\(recipe)") }
    // The Korean README has the words of the English one, and a reader needs one recipe at most.
    let others = Set(["docs/sealed.md", "README.ko.md"] + recipes)
    let documents = try Self.documents().filter { !others.contains($0) }
    #expect(try documents.map(Self.wordCount).reduce(0, +) < 30_000)
  }
}
