import Foundation

extension Weather {
  /// True if it was dark at the date: the sun is below the horizon at the place. Without a place,
  /// night is from 20:00 to 6:00 on the wall clock. A date alone counts as day.
  package static func isNight(_ date: EntryDate, at place: Place?) -> Bool {
    guard let seconds = date.seconds else { return false }
    guard let place else { return seconds < 6 * 3600 || seconds >= 20 * 3600 }
    // The upper limb is on the horizon, with refraction included.
    return sunAltitude(at: date.instant, place) < -0.833
  }

  /// The altitude of the sun in degrees, to about 0.5 (Astronomical Almanac, low precision).
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
