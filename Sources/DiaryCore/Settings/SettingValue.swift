import Localization

/// The value of a setting in a file or an environment variable. Scalars are always text.
package indirect enum SettingValue: Hashable, Sendable, ExpressibleByStringLiteral {
  /// One key and value of a mapping.
  package struct Field: Hashable, Sendable {
    package var key: String
    package var value: SettingValue

    package init(_ key: String, _ value: SettingValue) {
      self.key = key
      self.value = value
    }
  }

  /// `null`, or no value.
  case empty
  case text(String)
  case list([SettingValue])
  /// A mapping, in the order of the file.
  case mapping([Field])

  package init(stringLiteral text: String) { self = .text(text) }
}

/// An error for an invalid value. Contains the expected form, worded to follow "must be".
struct InvalidSetting: Error {
  let expected: String
}

extension SettingValue {
  /// The value in a readable form, for a message.
  var displayText: String {
    switch self {
    case .empty: localized("nothing")
    case .text(let text): "\"\(text.prefix(60))\""
    case .list: localized("a list")
    case .mapping: localized("a mapping")
    }
  }

  func text(_ expected: String) throws(InvalidSetting) -> String {
    guard case .text(let text) = self else { throw InvalidSetting(expected: expected) }
    return text
  }

  /// Splits an environment variable or argument at its commas.
  static func commaSeparated(_ text: String) -> SettingValue {
    .list(text.split(separator: ",").map { .text(trimmed($0)) })
  }

  /// The items of a list. A single value is a list with one item.
  func list(_ expected: String) throws(InvalidSetting) -> [String] {
    switch self {
    case .text(let text): return [text]
    case .empty: return []
    case .mapping: throw InvalidSetting(expected: expected)
    case .list(let list):
      var texts: [String] = []
      for value in list { texts.append(try value.text(expected)) }
      return texts
    }
  }

  /// A program and its arguments: a list, or a text split at blanks.
  func command() throws(InvalidSetting) -> [String] {
    let expected = localized("a list of a program and its arguments")
    let arguments: [String]
    if case .text(let text) = self {
      arguments = text.split(separator: " ").map(String.init)
    } else {
      arguments = try list(expected)
    }
    guard arguments.first?.isEmpty == false else { throw InvalidSetting(expected: expected) }
    return arguments
  }

  func number(_ bounds: ClosedRange<Double>, _ expected: String) throws(InvalidSetting) -> Double {
    guard let number = Double(try text(expected)), bounds.contains(number) else {
      throw InvalidSetting(expected: expected)
    }
    return number
  }

  func bool() throws(InvalidSetting) -> Bool {
    switch try text(localized("true or false")).lowercased() {
    case "true", "yes", "on": return true
    case "false", "no", "off": return false
    default: throw InvalidSetting(expected: localized("true or false"))
    }
  }

  /// A duration in seconds: `500ms`, `2s`, `5m`, `1h`, `1d`, or a number of seconds.
  func duration(_ bounds: ClosedRange<Double>) throws(InvalidSetting) -> Double {
    let expected =
      localized(
        "a time from \(SettingValue.durationText(seconds: bounds.lowerBound))"
          + " to \(SettingValue.durationText(seconds: bounds.upperBound)), such as 2s or 5m")
    let text = try text(expected).filter { $0 != " " }.lowercased()
    let units: [(String, Double)] = [
      ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400),
    ]
    let unit = units.first { text.hasSuffix($0.0) } ?? ("", 1)
    guard let number = Double(text.dropLast(unit.0.count)), bounds.contains(number * unit.1) else {
      throw InvalidSetting(expected: expected)
    }
    return number * unit.1
  }

  /// A time of day up to noon, such as `04:00`, as seconds since midnight.
  func timeOfDay() throws(InvalidSetting) -> Int {
    let expected = localized("a time of day from 00:00 to 12:00, such as 04:00")
    var reader = DateReader(try text(expected).utf8)
    guard let clock = reader.clock(), reader.peek() == nil, clock <= 43_200 else {
      throw InvalidSetting(expected: expected)
    }
    return clock
  }

  /// A case of an enumeration, by its raw value.
  func choice<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) throws(InvalidSetting)
    -> Choice where Choice.RawValue == String
  {
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    guard let choice = Choice(rawValue: try text(localized("one of \(names)"))) else {
      throw InvalidSetting(expected: localized("one of \(names)"))
    }
    return choice
  }

  /// The shortest form of a duration: `2s`, `5m`, `500ms`.
  static func durationText(seconds: Double) -> String {
    for (unit, length) in [("d", 86_400.0), ("h", 3600), ("m", 60), ("s", 1)]
    where seconds >= length && seconds.truncatingRemainder(dividingBy: length) == 0 {
      return "\(Int(seconds / length))\(unit)"
    }
    return seconds == 0 ? "0s" : "\(Int((seconds * 1000).rounded()))ms"
  }
}
