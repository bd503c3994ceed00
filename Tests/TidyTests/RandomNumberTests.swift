import Foundation
import TestSupport
import Testing

/// All random numbers of the tests depend on `DIARY_SEED` (`SeededGenerator`).
@Suite struct RandomNumberTests {
  @Test func `every random number of a test has a seed`() throws {
    let folder = Project.root.appendingPathComponent("Tests")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var count = 0
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      guard !file.path.contains("/TidyTests/") else { continue }
      let source = try String(contentsOf: file, encoding: .utf8)
      count += source.matches(of: #/SeededGenerator\(/#).count
      for found in Self.unseeded(in: source) {
        Issue.record("\(file.lastPathComponent): \(found)")
      }
    }
    #expect(count > 50)
  }

  @Test func `a random number without a seed is found`() {
    let bad = [
      "Int.random(in: 0...9)", "x ?? .random(in: 0 ... .max)", "list.randomElement()",
      "names.shuffled()", "names.shuffle()", "SystemRandomNumberGenerator()", "arc4random()",
      "state &* 6_364_136_223_846_793_005", "SeededGenerator(7)", "SeededGenerator(UInt64(7))",
      "SeededGenerator(0xD1A2)", "os.urandom(10)", "cat /dev/urandom", "random.random()",
      "random.choice(x)",
    ]
    for line in bad { #expect(Self.unseeded(in: line).count == 1, "\(line)") }
    let good = [
      "Int.random(in: 0..<f(x), using: &dice)", "[a(), b].randomElement(\n  using: &dice)",
      "names.shuffled(using: &self)", "SeededGenerator(seed)", "SeededGenerator(part: 7)",
      "SeededGenerator()", "random.Random(k).randbytes(9)", "random.next()", "random.seed",
    ]
    for line in good { #expect(Self.unseeded(in: line) == [], "\(line)") }
  }

  /// The expressions in a source that give other numbers in each run, or the same for any seed.
  private static func unseeded(in source: String) -> [String] {
    var found = source.matches(
      of:
        #/SystemRandom\w+|arc4random|drand48|urandom|6_?364_?136_?223|SeededGenerator\((UInt64\()?\d\w*/#
    ).map { String($0.output.0) }
    found += source.matches(of: #/\brandom\.(random|choice|randint|randbytes|shuffle|uniform)\(/#)
      .map { String($0.output.0) }
    for call in source.matches(of: #/\.(random|randomElement|shuffled|shuffle)\(/#) {
      var depth = 1
      let arguments = source[call.range.upperBound...].prefix {
        depth += $0 == "(" ? 1 : $0 == ")" ? -1 : 0
        return depth > 0
      }
      let isPython = source[..<call.range.lowerBound].hasSuffix("random")
      if !isPython, !arguments.contains("using:") { found.append(call.output.0 + arguments + ")") }
    }
    return found
  }
}
