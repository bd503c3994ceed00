import DiaryCore

/// The values for one moment from Open-Meteo. Any value can be null, and whole numbers can be
/// encoded as fractions.
struct OpenMeteoObservation: Decodable {
  /// The requested variables, which are the fields below.
  static let variables = "temperature_2m,weather_code,is_day"

  var temperature: Double?
  var code: Double?
  var isDay: Double?

  private enum CodingKeys: String, CodingKey {
    case temperature = "temperature_2m"
    case code = "weather_code"
    case isDay = "is_day"
  }

  func observation(at moment: Int) -> WeatherAnswer.Observation {
    WeatherAnswer.Observation(
      moment: moment, condition: code.flatMap { Int(exactly: $0) }.flatMap(Condition.init(wmo:)),
      celsius: validTemperature(temperature), isNight: isDay.map { $0 == 0 })
  }
}

/// The answer to `current=`.
struct OpenMeteoCurrent: Decodable {
  var current: OpenMeteoObservation
}

/// The answer to `hourly=`: columns of equal length.
struct OpenMeteoHistory: Decodable {
  /// Observations by full hour in Unix seconds.
  let hours: [Int: OpenMeteoObservation]

  private enum Key: String, CodingKey { case hourly }
  private enum Column: String, CodingKey {
    case time
    case temperature = "temperature_2m"
    case code = "weather_code"
    case isDay = "is_day"
  }

  init(from decoder: any Decoder) throws {
    let table = try decoder.container(keyedBy: Key.self)
      .nestedContainer(keyedBy: Column.self, forKey: .hourly)
    func column(_ key: Column) throws -> [Double?] {
      try table.decodeIfPresent([Double?].self, forKey: key) ?? []
    }
    let times = try table.decode([Double].self, forKey: .time)
    let (temperatures, codes, days) = (
      try column(.temperature), try column(.code), try column(.isDay)
    )
    var hours: [Int: OpenMeteoObservation] = [:]
    for (row, time) in times.enumerated() {
      guard let hour = Int(exactly: time) else { continue }
      // A short column means missing values, not an invalid answer.
      func value(_ column: [Double?]) -> Double? { row < column.count ? column[row] : nil }
      hours[hour] = OpenMeteoObservation(
        temperature: value(temperatures), code: value(codes), isDay: value(days))
    }
    self.hours = hours
  }
}

/// The answer of the search. It has no `results` if there is no such place.
struct OpenMeteoPlaces: Decodable {
  struct Place: Decodable {
    var name: String
    var latitude: Double
    var longitude: Double
    var admin1: String?
    var country: String?
    var country_code: String?
    var timezone: String?

    /// Region and country, without repetitions.
    var detail: String { placeDetail(name: name, [admin1, country]) }

    /// True if a region in the user's text (`Oregon`, `Kore`, `KR`) matches the place.
    func isLocated(in region: String) -> Bool {
      let region = region.lowercased()
      return country_code?.lowercased() == region
        || [admin1, country].contains { $0?.lowercased().hasPrefix(region) ?? false }
    }
  }

  var results: [Place]?
}

/// The parts of a place's location that add information to its name.
func placeDetail(name: String, _ parts: [String?]) -> String {
  var unique = [name]
  for case let part? in parts where !part.isEmpty && !unique.contains(part) { unique.append(part) }
  return unique.dropFirst().joined(separator: ", ")
}
