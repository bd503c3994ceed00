import DiaryCore
import EntryFormats
import Foundation

@testable import WeatherService

/// Checks an export of the phone app.
func phoneComplaint(_ input: [UInt8]) -> String? {
  do {
    for (index, entry) in try parsePhoneDiary(input).enumerated() {
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

/// Returns whether Foundation accepts the text as JSON. Foundation refuses some large numbers, so
/// every number is replaced by 0 first.
private func isJSON(_ text: String) -> Bool {
  var replaced: [UInt8] = []
  var isInString = false
  var rest = Array(text.utf8)[...]
  while let byte = rest.popFirst() {
    if isInString {
      replaced.append(byte)
      if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() { replaced.append(escaped) }
      isInString = byte != UInt8(ascii: "\"")
    } else if "-0123456789".utf8.contains(byte) {
      let number: [UInt8] = [byte] + rest.prefix { "+-.eE0123456789".utf8.contains($0) }
      rest = rest.dropFirst(number.count - 1)
      replaced += isJSONNumber(number) ? Array("0".utf8) : number
    } else {
      replaced.append(byte)
      isInString = byte == UInt8(ascii: "\"")
    }
  }
  return (try? JSONSerialization.jsonObject(with: Data(replaced))) != nil
}

/// Returns whether the text is a number of RFC 8259, section 6.
private func isJSONNumber(_ text: [UInt8]) -> Bool {
  String(decoding: text, as: UTF8.self)
    .wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
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
