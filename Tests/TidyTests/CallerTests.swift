import Foundation
import Testing

/// What nobody calls goes: a function or a type of Sources is named there at least twice.
@Suite struct CallerTests {
  @Test func `every function and type has a caller`() throws {
    var counts: [Substring: Int] = [:]
    var declared: [(name: Substring, file: String)] = []
    for module in ArchitectureTests.table.keys.sorted() {
      for file in try ArchitectureTests.swiftFiles(in: module) {
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n") where !line.drop(while: \.isBlank).hasPrefix("//") {
          let words = line.split { !$0.isNameLetter }
          for word in words { counts[word, default: 0] += 1 }
          for (keyword, name) in zip(words, words.dropFirst())
          where ["func", "struct", "enum", "class", "actor", "protocol", "typealias"].contains(
            keyword)
          {
            declared.append((name, file.lastPathComponent))
          }
        }
      }
    }
    #expect(declared.count > 1000)
    // These the compiler calls, or SwiftNIO.
    let called: Set<Substring> = [
      "appendLiteral", "appendInterpolation", "DiaryProgram", "WeatherProgram", "CombinedProgram",
      "SealedRemoteProgram",
      "OutboundIn", "channelActive", "channelInactive", "channelWritabilityChanged", "errorCaught",
      "userInboundEventTriggered",
      // Classes of the page's style.
      "unseen", "chip",
    ]
    let unused = declared.filter { counts[$0.name] == 1 && !called.contains($0.name) }.map {
      "\($0.file): \($0.name)"
    }
    #expect(unused == [])
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " }
  fileprivate var isNameLetter: Bool { isASCII && (isLetter || isNumber || self == "_") }
}
