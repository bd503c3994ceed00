import TestSupport

extension FaultScenario {
  /// So many new entries that their objects become one pack. One entry cannot be compressed, so the
  /// pack grows by several pages at once.
  static let onePack = packScenario("save: a pack", extraBytes: 0)

  /// So much text that two packs are written in parallel.
  static let twoPacks = packScenario("save: two packs", extraBytes: 4_500)

  private static func packScenario(_ name: String, extraBytes bytes: Int) -> FaultScenario {
    FaultScenario(
      name: name, arguments: ["save"],
      prepare: { home in
        try await makeThreeEntries(home)
        let more = String(repeating: "A long day.\n", count: bytes / 12)
        for number in 1...120 {
          try home.write(
            "---\ntitle: Day \(number)\n---\n\nWords of day \(number).\n" + more,
            to: "w/j/2025/\(number % 12 + 1)/day-\(number).md")
        }
        var dice = SeededGenerator(part: name)
        let noise = (0..<3_000).map { _ in String(dice.next(), radix: 36) }
        try home.write(
          "---\ntitle: Noise\n---\n\n" + noise.joined(separator: "\n") + "\n",
          to: "w/j/2025/noise.md")
      }, requiredTexts: initialTexts + (1...120).map { "Words of day \($0)." }, isRepeatable: true)
  }
}
