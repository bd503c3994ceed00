import Foundation

extension Weather {
  /// Whether it was dark when an entry was written: the sun is below the horizon of the place, or,
  /// without a place, the wall clock says before six or from twenty o'clock on. A date alone is day.
  package static func isNight(_ date: EntryDate, at place: Place?) -> Bool {
    guard let seconds = date.seconds else { return false }
    guard let place else { return seconds < 6 * 3600 || seconds >= 20 * 3600 }
    // Upper limb on the horizon, refraction included.
    return sunAltitude(at: date.instant, place) < -0.833
  }

  /// Degrees above the horizon, to about half a degree (Astronomical Almanac, low precision).
  static func sunAltitude(at instant: Int, _ place: Place) -> Double {
    let days = Double(instant) / 86_400 - 10_957.5
    let radian = Double.pi / 180
    let anomaly = (357.529 + 0.98560028 * days) * radian
    let mean = 280.459 + 0.98564736 * days
    let longitude = (mean + 1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly)) * radian
    let tilt = (23.439 - 0.00000036 * days) * radian
    let ascension = atan2(cos(tilt) * sin(longitude), cos(longitude))
    let declination = asin(sin(tilt) * sin(longitude))
    let sidereal = (280.46061837 + 360.98564736629 * days + place.longitude) * radian
    let latitude = place.latitude * radian
    let altitude = asin(
      sin(latitude) * sin(declination)
        + cos(latitude) * cos(declination) * cos(sidereal - ascension))
    return altitude / radian
  }
}
