import Foundation
import Testing

/// Compares the doc comments with the declarations that follow them.
@Suite struct CommentTests {
  @Test func `a parameter that a comment describes exists`() throws {
    var count = 0
    for file in try ArchitectureTests.table.keys.flatMap(ArchitectureTests.swiftFiles(in:)) {
      let described = Self.described(in: try String(contentsOf: file, encoding: .utf8))
      count += described.count
      for parameter in described where !parameter.exists {
        Issue.record("\(file.lastPathComponent): \(parameter.name)")
      }
    }
    #expect(count > 40)
  }

  @Test func `a parameter that does not exist is found`() {
    let source = """
      /// - Parameter path: exists.
      /// - Parameter former: does not exist.
      @inline(never)
      func move(_ path: String, to target: [Int: String] = [:]) throws(FileError) {}

      /// - Parameters:
      ///   - to: the label is a name of the parameter, too,
      ///     and - this: is none.
      ///   - target: exists.
      ///   - seen: does not exist.
      /// - Returns: the new path.
      // A comment in between, as: in a case of its own.
      package init?<Value>(to target: Value, _ body: (_ seen: String) -> Void) { self.seen = 1 }
      """
    let unknown = Self.described(in: source).filter { !$0.exists }.map(\.name)
    #expect(unknown == ["former", "seen"])
    #expect(Self.described(in: source).count == 5)
  }

  /// The parameters that the doc comments of a source describe.
  private static func described(in source: String) -> [(name: String, exists: Bool)] {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [(name: String, exists: Bool)] = []
    var names: [String] = []
    var isList = false
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      guard text.hasPrefix("///") else {
        if !names.isEmpty {
          let known = parameters(of: lines[index...].prefix(30))
          found += names.map { (name: $0, exists: known.contains($0)) }
        }
        (names, isList) = ([], false)
        continue
      }
      let comment = text.dropFirst(3)
      if let single = comment.prefixMatch(of: #/ - Parameter (\w+):/#) {
        names.append(String(single.1))
      } else if isList, let item = comment.prefixMatch(of: #/ {3}- (\w+):/#) {
        names.append(String(item.1))
      }
      if comment.hasPrefix(" - ") { isList = comment.hasPrefix(" - Parameters:") }
    }
    return found
  }

  /// The labels and the names of the parameters of the declaration at the start of the lines.
  private static func parameters(of lines: some Sequence<Substring>) -> Set<String> {
    let code = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    guard let keyword = code.firstMatch(of: #/\b(?:func|init|subscript|case)\b/#) else { return [] }
    var names: Set<String> = []
    var depth = 0
    var words = ""
    for character in code[keyword.range.upperBound...] {
      switch character {
      case "(", "[", "{":
        depth += 1
        if depth == 1 { words = "" }
      case ")", "]", "}":
        depth -= 1
        if depth == 0 { return names }
      case "," where depth == 1: words = ""
      case ":" where depth == 1:
        names.formUnion(words.split(whereSeparator: \.isWhitespace).map(String.init))
        words = ""
      default: words.append(character)
      }
    }
    return names
  }
}
