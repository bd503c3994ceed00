import Foundation
import TestSupport
import Testing

/// cmark's parsers share tables that are not thread-safe, so one lock guards all of them.
@Suite struct MarkdownParserTests {
  @Test func `only one file of the sources makes parsers of Markdown`() throws {
    var files: [String] = []
    for module in ArchitectureTests.table.keys.sorted() {
      for file in try ArchitectureTests.swiftFiles(in: module) {
        let text = try String(contentsOf: file, encoding: .utf8)
        let makes = ["cmark_parser_new", "cmark_parse_document", "cmark_markdown_to_html"]
        if makes.contains(where: text.contains) { files.append(file.lastPathComponent) }
      }
    }
    #expect(files == ["MarkdownDocument.swift"])
  }
}
