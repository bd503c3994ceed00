import DiaryCore
import EntryFormats
import Foundation

@testable import WeatherService

/// Checks an export of the phone app.
func phoneComplaint(_ input: [UInt8]) -> String? {
  do {
    for (index, entry) in try parsePhoneExport(input).enumerated() {
      if entry.position != index + 1 || entry.line < 1 { return "an entry in the wrong place" }
      if !(0...999).contains(entry.milliseconds) { return "\(entry.milliseconds) ms" }
      let extra =
        "[{"
        + entry.extra.map { "\(JSONValue.string($0.key).json):\($0.value.json)" }
        .joined(separator: ",") + "}]"
      if !isJSON(extra) { return "what is kept is no JSON: \(extra)" }
    }
    return isJSON(decodedText(input).trimmingPrefix("\u{FEFF}").description)
      ? nil : "no JSON was read"
  } catch {
    if error.line < 1 || error.column < 1 || error.reason.isEmpty { return "an error of nowhere" }
    return nil
  }
}

/// Whether Foundation accepts the text as JSON. Its limits for depth and numbers differ.
private func isJSON(_ text: String) -> Bool {
  if text.utf8.contains(where: { "eE".utf8.contains($0) || $0 >= 0x80 || $0 == 0 }) { return true }
  return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil
}

/// Checks the response of a provider.
func answersComplaint(_ input: [UInt8]) -> String? {
  let body = Data(input)
  let decoder = JSONDecoder()
  let said = ProviderErrorBody(body)
  if let address = try? Endpoints(base: nil) {
    let asked = ProviderClient(
      provider: "Open-Meteo", endpoints: address, key: Secret("k3y"), limits: ResponseLimits(),
      now: 0)
    let words = asked.sanitized(said.message ?? decodedText(input))
    if words.count > 160 || words.contains("k3y") { return "unclean: \(words)" }
    if words.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x202E }) {
      return "a control character: \(words)"
    }
  }
  var skies: [OpenMeteoObservation] = []
  if let now = try? decoder.decode(OpenMeteoCurrent.self, from: body) { skies.append(now.current) }
  if let past = try? decoder.decode(OpenMeteoHistory.self, from: body) {
    skies += past.hours.values
  }
  var told = skies.map { $0.observation(at: 0) }
  if let now = try? decoder.decode(OpenWeatherCurrent.self, from: body) {
    told.append(now.observation(at: 0))
  }
  for celsius in told.compactMap(\.celsius) where !(-100...70).contains(celsius) {
    return "\(celsius) degrees"
  }
  for place in (try? decoder.decode(OpenMeteoPlaces.self, from: body))?.results ?? [] {
    _ = (place.detail, place.isLocated(in: place.name))
    if let spot = Coordinates(latitude: place.latitude, longitude: place.longitude),
      abs(spot.latitudeDegrees) > 90 || abs(spot.longitudeDegrees) > 180
    {
      return "a spot off the Earth"
    }
  }
  _ = try? decoder.decode([OpenWeatherPlace].self, from: body)
  return nil
}
