extension Weather {
  /// The text of a stamp: `Rain, 7°C`, in the journal's units and whole degrees. An unknown part is
  /// omitted, so the text is empty if both are unknown.
  package static func stamp(condition: Condition?, celsius: Double?, units: Units) -> String {
    [condition?.rawValue, celsius.map { temperature($0, units: units) }].compactMap { $0 }
      .joined(separator: ", ")
  }

  /// The temperature in whole degrees with its unit, never `-0`.
  package static func temperature(_ celsius: Double, units: Units) -> String {
    let degrees = units == .imperial ? celsius * 9 / 5 + 32 : celsius
    // No temperature on Earth is near these bounds. They prevent a trap on a mistyped number.
    let whole = Int(min(max(degrees.isNaN ? 0 : degrees, -9999), 9999).rounded())
    return "\(whole)\(units == .imperial ? "°F" : "°C")"
  }

  /// True if the text is exactly what a stamp writes (`CONDITION, N°C` or `CONDITION, N°F`), and
  /// not the user's own text.
  package var isStamp: Bool {
    guard condition != nil, celsius != nil else { return false }
    return Units.allCases.contains { text.isIdentical(to: Weather.stamp(of: self, units: $0)) }
  }

  /// True if the user wants no stamp: `none`, `off` or `-`.
  package var isOptOut: Bool { ["none", "off", "-"].contains(text.lowercased()) }

  /// The text for display: a stamp in the given units, with the condition's name in the reader's
  /// language; the user's own text unchanged.
  package func displayText(
    in units: Units, named name: (Condition) -> String = { $0.rawValue }
  ) -> String {
    guard isStamp, let condition, let celsius else { return text }
    return "\(name(condition)), \(Weather.temperature(celsius, units: units))"
  }

  private static func stamp(of weather: Weather, units: Units) -> String {
    stamp(condition: weather.condition, celsius: weather.celsius, units: units)
  }

  /// An emoji for the condition. Empty if the condition is unknown.
  package func icon(isNight: Bool) -> String { condition?.icon(isNight: isNight) ?? "" }
}

extension String {
  /// Compares bytes. Swift's `==` treats different encodings of a character as equal.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
