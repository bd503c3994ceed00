import DiaryCore
import Foundation
import Testing

/// The merge cases of `merge-cases.md`, one per table row.
struct EntryMergeCaseTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let base: String
    let a: String
    let b: String
    let result: String
    let needsReview: Bool
    var testDescription: String { name }
  }

  static let cases: [Case] = {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("merge-cases.md")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").dropFirst(5).compactMap(row)
  }()

  private static let long = String(
    repeating:
      "and then we went on along the shore past the boats and the nets and the old men who "
      + "mended them while the gulls cried over the harbour and the bells rang ", count: 3)

  private static func row(_ line: Substring) -> Case? {
    // One space on each side of a cell belongs to the table.
    let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      .map { String($0.dropFirst().dropLast()) }
    guard cells.count == 8 else { return nil }
    let texts = cells[2...5].map { cell in
      cell == "∅"
        ? ""
        : cell.replacingOccurrences(of: "{LLL}", with: long)
          .replacingOccurrences(of: "⏎", with: "\n").replacingOccurrences(of: "¦", with: "|")
          .replacingOccurrences(of: "\\\\", with: "\\")
    }
    return Case(
      name: cells[1], base: texts[0], a: texts[1], b: texts[2], result: texts[3],
      needsReview: cells[6] == "F")
  }

  @Test func `the table has more than a hundred cases`() {
    #expect(Self.cases.count > 110)
    #expect(Set(Self.cases.map(\.name)).count == Self.cases.count)
  }

  @Test(arguments: cases)
  func `a case gives the result of its table row`(_ sample: Case) {
    let merge = EntryMergeBodyTests.merged(sample.base, sample.a, sample.b)
    #expect(merge.text == sample.result)
    #expect(merge.keptBoth == sample.needsReview)
    for side in [sample.a, sample.b] {
      #expect(EntryMergeBodyTests.merged(side, merge.text, side).text == merge.text)
    }
  }
}
