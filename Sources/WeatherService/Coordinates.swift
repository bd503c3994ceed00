import DiaryCore

/// A geographic position, rounded to two decimals of a degree (about a kilometre).
package struct Coordinates: Hashable, Sendable {
  /// Hundredths of a degree, -9000 to 9000 and -18000 to 18000.
  let latitude: Int
  let longitude: Int

  /// Rounds a position in degrees. Fails if there is no such position on Earth.
  package init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = Int((latitude * 100).rounded())
    self.longitude = Int((longitude * 100).rounded())
  }

  /// The text for a request: `37.57`.
  var latitudeText: String { Coordinates.text(latitude) }
  var longitudeText: String { Coordinates.text(longitude) }

  /// The degrees for an answer.
  var latitudeDegrees: Double { Double(latitude) / 100 }
  var longitudeDegrees: Double { Double(longitude) / 100 }

  /// Formats whole hundredths. A number formatter may print `-0.00` or the locale's decimal comma.
  private static func text(_ hundredths: Int) -> String {
    let part = abs(hundredths) % 100
    return (hundredths < 0 ? "-" : "") + "\(abs(hundredths) / 100)." + (part < 10 ? "0" : "")
      + "\(part)"
  }
}
