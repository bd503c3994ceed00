import DiaryCore

/// Returns a condition as an SVG line drawing. It has the height and colour of the text.
func weatherIconSVG(_ condition: Condition, isNight: Bool) -> String {
  "<svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">"
    + weatherIconPaths(condition, isNight: isNight) + "</svg>"
}

/// Returns only the paths of such a drawing, in a view box of 24 by 24.
package func weatherIconPaths(_ condition: Condition, isNight: Bool) -> String {
  switch condition {
  case .clear: isNight ? moon : sun
  case .clouds: (isNight ? moonBehindCloud : sunBehindCloud) + lowCloud
  case .drizzle: cloud + path("M8.5 18v1.5M12 19.5V21M15.5 18v1.5", "wet")
  case .rain: cloud + path("M9 17.5l-1.5 4M13 17.5l-1.5 4M17 17.5l-1.5 4", "wet")
  case .thunderstorm: cloud + path("M13 16.2l-2.6 3.2h3.2L11.2 23", "bright")
  case .snow: cloud + path("M8 18.5h.01M12 20.5h.01M16 18.5h.01M10 22h.01M14 22.3h.01", "wet dots")
  case .mist: path("M4 8h12M7 12h13M4 16h11M18.5 16h1.5M19 8h1")
  case .fog: cloud + path("M6 18.5h12M8.5 21.5h7")
  case .haze: (isNight ? moonBehindCloud : lowSun) + path("M3 17h18M6 20.5h12")
  case .smoke: path("M8 21c-3-3 3-5 0-8s3-5 0-9M15 21c-3-3 3-5 0-8s3-5 0-9")
  case .dust: wind + path("M20 5h.01M20.5 9.5h.01M17 20.5h.01M6 20.5h.01", "dots")
  case .sand:
    path("M3 20c3-5 6-5 9 0 2-3.5 5-3.5 9 0M3 20h18M6 9h9M10 13h9")
      + path("M5 5.5h.01M19 9h.01", "dots")
  case .ash:
    path("M3 21l6-9h6l6 9zM9 12l1.5 2.5L12 13l1.5 1.5L15 12")
      + path("M10 8.5h.01M13.5 6h.01M9 4h.01M16 8.5h.01M15 3h.01", "dots")
  case .squall: wind
  case .tornado: path("M4 4h16M6 8h12M9 12h8M11 16h4M12 20h1.5")
  }
}

private let cloud = path("M7.3 14.5a3.8 3.8 0 0 1-.4-7.6 5.3 5.3 0 0 1 10.1-.4 4 4 0 0 1 .1 8z")
private let lowCloud = path("M6.8 20a3.6 3.6 0 0 1-.3-7.2 5 5 0 0 1 9.5-.4 3.8 3.8 0 0 1 .1 7.6z")
private let wind = path(
  "M3 9h11a2.8 2.8 0 1 0-2.7-3.5M3 13h16a2.6 2.6 0 1 1-2.5 3.3M3 17h8a2.2 2.2 0 1 1-2.1 2.8")
private let sun =
  path("M12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M4.9 4.9l1.8 1.8M17.3 17.3l1.8 1.8", "bright")
  + path(
    "M4.9 19.1l1.8-1.8M17.3 6.7l1.8-1.8M16.3 12a4.3 4.3 0 1 1-8.6 0 4.3 4.3 0 0 1 8.6 0z", "bright")
private let moon = path("M20 14.2A8.3 8.3 0 1 1 9.8 4a6.6 6.6 0 0 0 10.2 10.2z", "bright")
private let sunBehindCloud = path(
  "M14 2.2v1.6M21.8 9.5h-1.6M19.4 4l-1.2 1.2M8.6 4l1.2 1.2M11.6 7.6a3.7 3.7 0 0 1 6.7 3.6", "bright"
)
private let moonBehindCloud = path(
  "M19.2 12.2a5.2 5.2 0 0 0 2.3-2.4 4.6 4.6 0 0 1-5.3-6.3 5.2 5.2 0 0 0-3.6 3.2", "bright")
private let lowSun = path(
  "M12 3v2.5M3.5 13H6M18 13h2.5M5.9 6.9l1.8 1.8M18.1 6.9l-1.8 1.8M7.7 13a4.3 4.3 0 0 1 8.6 0",
  "bright")

private func path(_ line: String, _ style: String? = nil) -> String {
  let name = style.map { " class=\"\($0)\"" } ?? ""
  return "<path\(name) d=\"\(line)\"/>"
}
