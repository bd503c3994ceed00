import DiaryCore

/// A point on the map, never finer than two decimals of a degree (about a kilometre).
package struct Coordinates: Hashable, Sendable {
  /// Hundredths of a degree, -9000 to 9000 and -18000 to 18000.
  let latitude: Int
  let longitude: Int

  /// A point from degrees, rounded; `nil` when there is no such point on the globe.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = Int((latitude * 100).rounded())
    self.longitude = Int((longitude * 100).rounded())
  }

  /// What a request carries: `37.57`.
  var latitudeText: String { Coordinates.text(latitude) }
  var longitudeText: String { Coordinates.text(longitude) }

  /// What an answer carries: the same numbers as degrees.
  var latitudeDegrees: Double { Double(latitude) / 100 }
  var longitudeDegrees: Double { Double(longitude) / 100 }

  /// Written from whole hundredths: a formatter may show `-0.00`, or a comma where the locale does.
  private static func text(_ hundredths: Int) -> String {
    let part = abs(hundredths) % 100
    return (hundredths < 0 ? "-" : "") + "\(abs(hundredths) / 100)." + (part < 10 ? "0" : "")
      + "\(part)"
  }
}
