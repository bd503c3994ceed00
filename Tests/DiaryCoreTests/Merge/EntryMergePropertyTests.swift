import TestSupport
import Foundation
import Testing

@testable import DiaryCore

/// Properties of every merge, tested with seeded random edits. A failure names its part and round.
struct EntryMergePropertyTests {
  struct Sample {
    let base: String?
    let a: String
    let b: String
  }

  static func sample(_ dice: inout SeededGenerator) -> Sample {
    let base = dice.entryLines()
    let (a, b) = (dice.editedEntry(base), dice.editedEntry(base))
    let hasBase = dice.roll(8) > 0
    return Sample(
      base: hasBase ? SeededGenerator.text(base) : nil, a: dice.converted(SeededGenerator.text(a)),
      b: dice.converted(SeededGenerator.text(b)))
  }

  @Test(arguments: 1...3)
  func `added and unchanged words of both sides are in the merge`(part: Int) {
    var dice = SeededGenerator(part: part)
    for round in 0..<SeededGenerator.rounds(120) {
      let sample = Self.sample(&dice)
      guard let complaint = complaint(sample) else { continue }
      let least = shrunk(sample) { self.complaint($0) != nil }
      Issue.record(
        "\(dice), round \(round): \(self.complaint(least) ?? complaint) in \(least)")
    }
  }

  /// The property that a merge violates, or `nil`.
  private func complaint(_ sample: Sample) -> String? {
    let (base, a, b) = (
      sample.base.map { Array($0.utf8) }, Array(sample.a.utf8), Array(sample.b.utf8)
    )
    let merge = EntryMerge(base: base, a, b)
    let result = String(decoding: merge.bytes, as: UTF8.self)
    if merge != EntryMerge(base: base, b, a) { return "not symmetric" }
    if EntryMerge(base: base, a, a).bytes != a { return "not itself" }
    if EntryMerge(base: a, a, b).bytes != b { return "not the only change" }
    if String(validating: merge.bytes, as: UTF8.self) == nil { return "no text" }
    for side in [a, b] where EntryMerge(base: side, merge.bytes, side).bytes != merge.bytes {
      return "not stable"
    }
    return wordComplaint(sample, result, inBodies: false)
      ?? (hasPlainHeaders(sample) ? wordComplaint(sample, result, inBodies: true) : nil)
      ?? headerComplaint(sample, merge)
  }

  private func hasPlainHeaders(_ sample: Sample) -> Bool {
    [sample.base ?? "", sample.a, sample.b].allSatisfy {
      [.none, .yaml].contains(EntryText(Array($0.utf8)).headerKind)
    }
  }

  /// Checks the unique words of the whole texts, or all words of the bodies.
  private func wordComplaint(_ sample: Sample, _ result: String, inBodies: Bool) -> String? {
    func words(_ text: String) -> [String: Int] {
      counts(inBodies ? EntryText(Array(text.utf8)).body : text)
        .filter { inBodies || $0.key.hasPrefix("q") }
    }
    let was = words(sample.base ?? "")
    let (mine, theirs, now) = (words(sample.a), words(sample.b), words(result))
    for word in Set(mine.keys).union(theirs.keys) {
      let (old, x, y, count) = (was[word] ?? 0, mine[word] ?? 0, theirs[word] ?? 0, now[word] ?? 0)
      // The sides may remove different copies. A word that both typed is kept at least once.
      let left = max(0, old - max(0, old - x) - max(0, old - y))
      if count < left + max(0, x - old, y - old) {
        return "\(word) is lost: \(old) \(x) \(y) \(count) in \(result.debugDescription)"
      }
      if count > x + y {
        return "\(word) came from nowhere: \(old) \(x) \(y) \(count) in \(result.debugDescription)"
      }
    }
    let strange = now.keys.first { mine[$0] == nil && theirs[$0] == nil }
    return strange.map { "\($0) is new in \(result.debugDescription)" }
  }

  private func headerComplaint(_ sample: Sample, _ merge: EntryMerge) -> String? {
    let sides = [EntryText(Array(sample.a.utf8)), EntryText(Array(sample.b.utf8))]
    let text = EntryText(merge.bytes)
    if sides.allSatisfy({ $0.headerKind == .none }), text.headerKind != .none { return "a header" }
    guard sides.allSatisfy({ strictHeader($0.header) != nil }) else { return nil }
    if strictHeader(text.header) == nil { return "a bad header: \(text.header.debugDescription)" }
    if Set(text.fields.map { $0.key.lowercased() }).count != text.fields.count { return "twice" }
    return nil
  }

  /// The words in composed form, with each Han or kana character as one word. The numbers of items
  /// are none.
  private func counts(_ text: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for chunk in text.precomposedStringWithCanonicalMapping.split(whereSeparator: \.isWhitespace) {
      let letters = chunk.filter { !"\"\u{FEFF}".contains($0) }
      let wide = letters.filter { ("\u{3040}"..."\u{9FFF}").contains($0) }
      for word in wide.map({ String($0) }) + [letters.filter { !wide.contains($0) }]
      where word.contains(where: { $0.isLetter || $0.isNumber })
        && word.wholeMatch(of: #/\d+\./#) == nil
      {
        counts[word, default: 0] += 1
      }
    }
    return counts
  }

  /// The sample without the lines that the failure does not need.
  private func shrunk(_ sample: Sample, _ fails: (Sample) -> Bool) -> Sample {
    var least = sample
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for tried in smallerSamples(than: least) where fails(tried) {
        least = tried
        isSmaller = true
        break
      }
    }
    return least
  }

  private func smallerSamples(than sample: Sample) -> [Sample] {
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    let all = Set(lines(sample.a) + lines(sample.b) + lines(sample.base ?? ""))
    func without(_ line: String, _ text: String) -> String {
      lines(text).filter { $0 != line }.joined(separator: "\n")
    }
    return all.sorted().flatMap { line in
      [
        Sample(
          base: sample.base.map { without(line, $0) }, a: without(line, sample.a),
          b: without(line, sample.b)),
        Sample(base: sample.base, a: without(line, sample.a), b: sample.b),
        Sample(base: sample.base, a: sample.a, b: without(line, sample.b)),
      ].filter { $0.base != sample.base || $0.a != sample.a || $0.b != sample.b }
    }
  }

  @Test(arguments: 1...3)
  func `arbitrary bytes are merged symmetrically and stay valid`(part: Int) {
    var dice = SeededGenerator(part: part)
    for round in 0..<SeededGenerator.rounds(150) {
      let base = dice.sample(round)
      let (a, b) = (dice.damaged(dice.sample(round)), dice.damaged(base))
      let merge = EntryMerge(base: dice.roll(4) == 0 ? nil : base, a, b)
      let note: Comment = "\(dice), round \(round)"
      if !EntryMerge.canMerge(a) || !EntryMerge.canMerge(b) {
        #expect([a, b].contains(merge.bytes), note)
      } else {
        #expect(EntryMerge.canMerge(merge.bytes), note)
      }
      let isSame = EntryMerge(base: base, a, b) == EntryMerge(base: base, b, a)
      #expect(isSame, note)
    }
  }
}
