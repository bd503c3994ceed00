import TestSupport

extension Scene {
  /// So many new entries that their objects become one pack. One does not shrink: the pack grows by
  /// some pages at once.
  static let packing = packs("save: a pack", longer: 0)

  /// So much text that two packs are made side by side.
  static let sharing = packs("save: two packs", longer: 4_500)

  private static func packs(_ name: String, longer bytes: Int) -> Scene {
    Scene(
      name: name, words: ["save"],
      prepare: { home in
        try await begun(home)
        let more = String(repeating: "A long day.\n", count: bytes / 12)
        for number in 1...120 {
          try home.write(
            "---\ntitle: Day \(number)\n---\n\nWords of day \(number).\n" + more,
            to: "w/j/2025/\(number % 12 + 1)/day-\(number).md")
        }
        var dice = Seeded(1)
        let noise = (0..<3_000).map { _ in String(dice.next(), radix: 36) }
        try home.write(
          "---\ntitle: Noise\n---\n\n" + noise.joined(separator: "\n") + "\n",
          to: "w/j/2025/noise.md")
      }, kept: begunWords + (1...120).map { "Words of day \($0)." }, isRepeatable: true)
  }
}
