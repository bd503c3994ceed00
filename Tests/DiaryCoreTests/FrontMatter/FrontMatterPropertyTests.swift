import TestSupport
import HostileInput
import Testing
import Yams

@testable import DiaryCore

struct FrontMatterPropertyTests {
  @Test(arguments: 1...3)
  func `any bytes are kept, and their fields are in order`(part: Int) {
    var dice = SeededGenerator(part: part)
    for round in 0..<1000 {
      let bytes = dice.sample(round)
      let text = EntryText(bytes)
      #expect(text.bytes == bytes, "\(dice), round \(round)")
      var last = text.frontMatter.lines.lowerBound
      for field in text.fields {
        #expect(field.range.lowerBound >= last && !field.range.isEmpty, "\(dice), round \(round)")
        last = field.range.upperBound
        _ = text.value(field.key)
      }
      #expect(last <= text.bodyRange.lowerBound || text.fields.isEmpty, "\(dice), round \(round)")
      _ = (text.header, text.body, text.lints)
    }
  }

  @Test(arguments: 1...3)
  func `a field that was set has its value, and nothing else changes`(part: Int) {
    var dice = SeededGenerator(part: part)
    var written = 0
    for round in 0..<600 {
      let before = EntryText(dice.sample(round))
      let (key, value) = (dice.one(SeededGenerator.keys), dice.value())
      let note: Comment =
        "\(dice), round \(round): \(key) in \(before.header.debugDescription)"
      var after = before
      do { try after.set(key, value) } catch {
        #expect(after == before, note)
        continue
      }
      written += 1
      #expect(after.value(key) == (value.isEmpty ? nil : value), note)
      #expect(isOnlyDifference(key, between: before, after), note)
      for field in before.fields where !EntryText.isSameKey(field.key, key) {
        #expect(before.value(field.key) == after.value(field.key), note)
      }
      #expect(after.body.hasSuffix(before.body), note)
      var again = after
      try? again.set(key, value)
      #expect(again == after, note)
    }
    #expect(written > 200)
  }

  @Test(arguments: 1...3)
  func `a value that was set is read equally by a strict YAML parser`(part: Int) throws {
    var dice = SeededGenerator(part: part)
    for round in 0..<600 {
      var text = EntryText(Array("---\nlayout: post\n---\nBody\n".utf8))
      let value = dice.value()
      do { try text.set("mood", value) } catch {
        Issue.record("\(dice), round \(round): \(value)")
        continue
      }
      let note: Comment = "\(dice), round \(round): \(text.header)"
      let node = try #require(try Yams.compose(yaml: text.header), note)
      #expect(strictYAML(try #require(node["mood"], note), matches: value), note)
      #expect(node["layout"]?.string == "post", note)
      if case .text(let words) = value, !words.isEmpty, !words.hasPrefix("\u{FEFF}") {
        let loaded = try Yams.load(yaml: text.header) as? [String: Any]
        #expect(loaded?["mood"] as? String == words, note)
      }
    }
  }

  @Test(arguments: 1...3)
  func `a field that was removed is missing, and nothing else changes`(part: Int) {
    var dice = SeededGenerator(part: part)
    var removed = 0
    for round in 0..<600 {
      let before = EntryText(dice.sample(round))
      guard let key = before.fields.first?.key else { continue }
      var after = before
      guard (try? after.remove(key)) != nil else { continue }
      removed += 1
      let note: Comment = "\(dice), round \(round)"
      #expect(after.field(key) == nil, note)
      #expect(after.body == before.body && after.headerKind == .yaml, note)
      for field in before.fields where !EntryText.isSameKey(field.key, key) {
        #expect(before.value(field.key) == after.value(field.key), note)
      }
    }
    #expect(removed > 50)
  }
}

extension SeededGenerator {
  mutating func sample(_ round: Int) -> [UInt8] {
    switch round % 8 {
    case 0: (0..<roll(200)).map { _ in UInt8(roll(256)) }
    case 1: (0..<roll(200)).map { _ in one(Array("-+.:# \n\r\tkv\"'[]{}|>".utf8)) }
    case 2...3: damaged(entry())
    default: entry()
    }
  }
}
