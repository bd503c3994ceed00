extension Weather {
  /// Parses text of a user or a stamp: a condition (without case), a temperature in °C or °F, both,
  /// or any other text, which is kept unchanged. Fails if the text is empty.
  package init?(reading text: String) {
    let text = trimmed(text)
    guard !text.isEmpty else { return nil }
    let reading = TemperatureReading(text)
    self.init(
      text: text, condition: Condition(text: reading?.remainder ?? text), celsius: reading?.celsius)
  }

  /// Parses a mapping with `condition`, `temperature` and `units`, or the key names of other
  /// programs. Fails if it has neither a condition nor a temperature.
  package init?(mapping: [(String, String)]) {
    func value(_ keys: String...) -> String? {
      keys.lazy.compactMap { key in mapping.first { $0.0.lowercased() == key }?.1 }
        .map { trimmed($0) }.first { !$0.isEmpty }
    }
    let description = value("condition", "main", "text", "description", "summary", "weather")
    let number = value("temperature", "temp", "celsius", "fahrenheit")
    let units = value("units", "unit")?.lowercased() ?? ""
    let isFahrenheit =
      value("fahrenheit") != nil || ["imperial", "f", "°f", "fahrenheit"].contains(units)
    let celsius = number.flatMap { number in
      (TemperatureReading(number) ?? TemperatureReading(number + (isFahrenheit ? "°F" : "°C")))?
        .celsius
    }
    let condition = description.flatMap { Condition(text: $0) }
    let parts = [
      condition?.rawValue ?? description,
      celsius.map { Weather.temperature($0, units: .metric) } ?? number,
    ]
    let text = parts.compactMap { $0 }.joined(separator: ", ")
    guard !text.isEmpty else { return nil }
    self.init(text: text, condition: condition, celsius: celsius)
  }
}

extension Condition {
  /// Parses a condition, compared without case and without surrounding punctuation. Fails for any
  /// other text.
  package init?(text: String) {
    let punctuation = Array(",;/|()[] \t".utf8)
    let bytes = Array(text.utf8)
    let start = bytes.firstIndex { !punctuation.contains($0) } ?? bytes.endIndex
    let end = bytes.lastIndex { !punctuation.contains($0) }.map { $0 + 1 } ?? start
    let lowered = bytes[start..<end].map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    guard
      let group = Condition.allCases.first(where: { group in
        let name = group.rawValue.utf8
        return name.count == lowered.count
          && zip(name, lowered).allSatisfy { $0 | 0x20 == $1 }
      })
    else { return nil }
    self = group
  }
}
