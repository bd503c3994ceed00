import Foundation
import TestSupport
import Testing

/// The lists of suites and tests that `.ci/tests` reads (docs/testing.md).
@Suite struct TierTests {
  private static let folder = Project.root.appendingPathComponent("Tests")

  /// The text of each source file of the tests, with its module.
  private static func sources() throws -> [(module: String, text: String)] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return try (files?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }.map {
      let module = $0.path.dropFirst(folder.path.count + 1).prefix { $0 != "/" }
      return (String(module), try String(contentsOf: $0, encoding: .utf8))
    }
  }

  private static func lines(of list: String) throws -> [String] {
    try String(contentsOf: folder.appendingPathComponent(list), encoding: .utf8)
      .split(separator: "\n").map(String.init)
  }

  @Test(arguments: ["suites-only-in-check", "second-try-suites"])
  func `each suite in a list exists and is listed once`(_ list: String) throws {
    let names = try Self.lines(of: list)
    #expect(!names.isEmpty && names == Set(names).sorted())
    var suites: Set<String> = []
    for (module, text) in try Self.sources() {
      for suite in text.matches(of: #/@Suite(?:\([^\n]*\))? (?:final )?(?:struct|class) (\w+)/#) {
        suites.insert(module + "." + suite.1)
      }
    }
    for name in names { #expect(suites.contains(name), "\(name) is no suite") }
  }

  /// A second try must not hide a defect, so only suites of slow programs have one.
  @Test func `a suite with a second try drives a browser or a terminal`() throws {
    let sources = try Self.sources()
    let names = try Self.lines(of: "second-try-suites")
    let pages = try Self.lines(of: "suites-only-in-check").filter { $0.hasPrefix("PageTests.") }
    #expect(names.filter { $0.hasPrefix("PageTests.") } == pages)
    for name in names {
      let suite = name.split(separator: ".")[1]
      let text = try #require(sources.first { $0.text.contains("struct \(suite) {") }?.text)
      #expect(text.contains("import WebDriver") || text.contains("Terminal("), "\(name)")
    }
  }

  @Test func `each test of time exists`() throws {
    let sources = try Self.sources().map(\.text)
    for name in try Self.lines(of: "tests-of-time") {
      #expect(sources.contains { $0.contains("func `\(name)`") }, "\(name)")
    }
  }
}
