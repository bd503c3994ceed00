import Foundation

extension FakeProvider {
  func openMeteo(_ asked: ReceivedRequest) -> Answer {
    guard let latitude = asked.number("latitude"), let longitude = asked.number("longitude") else {
      return refusal("Parameter 'latitude' and 'longitude' must have the same number of elements")
    }
    guard (-90...90).contains(latitude) else {
      return refusal("Latitude must be in range of -90 to 90°. Given: \(latitude).")
    }
    // The corner of the grid cell, not the requested point.
    var answer: [String: Any] = [
      "latitude": (latitude * 10).rounded() / 10, "longitude": (longitude * 10).rounded() / 10,
      "generationtime_ms": 0.068, "utc_offset_seconds": 0, "timezone": "GMT",
      "timezone_abbreviation": "GMT", "elevation": 38.0,
    ]
    if asked.path.hasSuffix("forecast"), let names = asked.query["current"] {
      var current = values([sky], names).mapValues { $0[0] }
      current["time"] = 1_700_000_100
      current["interval"] = 900
      answer["current"] = current
    }
    if let names = asked.query["hourly"] {
      guard let hours = hours(asked) else {
        return refusal("Both 'start_date' and 'end_date' must be set in the url")
      }
      let rest = sky
      let tell = skyAt ?? { _ in rest }
      var table = values(hours.map(tell), names)
      table["time"] = hours
      answer["hourly"] = table
    }
    return Answer(json: answer)
  }

  private func refusal(_ reason: String) -> Answer {
    Answer(status: 400, json: ["error": true, "reason": reason])
  }

  /// The requested variables, one column each.
  private func values(_ skies: [Observation?], _ names: String) -> [String: [Any]] {
    var columns: [String: [Any]] = [:]
    for name in names.split(separator: ",") {
      columns[String(name)] = skies.map { sky -> Any in
        guard let sky else { return NSNull() }
        switch name {
        case "temperature_2m": return sky.celsius
        case "weather_code": return sky.wmo
        case "is_day": return sky.isDay ? 1 : 0
        default: return NSNull()
        }
      }
    }
    return columns
  }

  /// Each full hour of the requested dates, as Unix seconds.
  private func hours(_ asked: ReceivedRequest) -> [Int]? {
    let days = ["start_date", "end_date"].map { name in
      asked.query[name].flatMap { try? Date($0 + "T00:00:00Z", strategy: .iso8601) }
    }
    guard let first = days[0], let last = days[1], first <= last else { return nil }
    let start = Int(first.timeIntervalSince1970)
    return Array(stride(from: start, to: Int(last.timeIntervalSince1970) + 86_400, by: 3600))
  }

  func openMeteoSearch(_ asked: ReceivedRequest) -> Answer {
    let found = matches(asked.query["name"], limit: asked.query["count"])
    guard !found.isEmpty else { return Answer(json: ["generationtime_ms": 0.13756752]) }
    let results = found.enumerated().map { index, place in
      var item: [String: Any] = [
        "id": 1_835_848 + index, "name": place.name, "latitude": place.latitude,
        "longitude": place.longitude, "feature_code": "PPLC",
      ]
      item["admin1"] = place.region
      item["country"] = place.country
      item["country_code"] = place.countryCode
      item["timezone"] = place.timeZone
      return item
    }
    return Answer(json: ["results": results, "generationtime_ms": 0.53])
  }

  func matches(_ name: String?, limit: String?) -> [Place] {
    guard let name = name?.lowercased(), name.count > 1 else { return [] }
    let found = places.filter { $0.name.lowercased().hasPrefix(name) }
    return Array(found.prefix(limit.flatMap { Int($0) } ?? 10))
  }
}
