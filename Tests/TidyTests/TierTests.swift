import Foundation
import TestSupport
import Testing

/// The tiers of the tests (docs/testing.md): `make check` runs only the suites that
/// `Tests/check-suites` lists, `make test` runs the others.
@Suite struct TierTests {
  @Test func `each suite in the list of make check exists and is listed once`() throws {
    let tests = Project.root.appendingPathComponent("Tests")
    let list = try String(contentsOf: tests.appendingPathComponent("check-suites"), encoding: .utf8)
    let names = list.split(separator: "\n").map(String.init)
    #expect(!names.isEmpty && names == Set(names).sorted())
    var suites: Set<String> = []
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      let module = file.path.dropFirst(tests.path.count + 1).prefix { $0 != "/" }
      let text = try String(contentsOf: file, encoding: .utf8)
      for suite in text.matches(of: #/@Suite(?:\([^\n]*\))? (?:final )?(?:struct|class) (\w+)/#) {
        suites.insert(module + "." + suite.1)
      }
    }
    for name in names { #expect(suites.contains(name), "\(name) is no suite") }
  }
}
