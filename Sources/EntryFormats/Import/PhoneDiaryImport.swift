import DiaryCore
import Foundation
import Localization

/// Reads a phone diary's export with the other data of each entry: weather, location, tags.
func readPhoneDiary(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedBatch
{
  let items = try parsePhoneDiary(bytes)
  var batch = ImportedBatch()
  let isCoreData = hasCoreDataEpoch(items.map(\.createdAt))
  if isCoreData {
    batch.notices.append(
      localized(
        "the times are read as seconds since 2001 (Core Data), because as Unix times all "
          + "of them would be before 2001"
      ))
  }
  for item in items {
    var entry = ImportedEntry()
    (entry.title, entry.body, entry.line) = (item.title, item.body, item.line)
    entry.writtenDate = "\(item.createdAt)"
    entry.date = EntryDate(
      instant: item.createdAt + (isCoreData ? 978_307_200 : 0), zone: options.zone)
    for member in item.extra {
      switch member.key.lowercased() {
      case "weather": phoneWeather(member.value, into: &entry)
      case "location", "place": phonePlace(member.value, named: member.key, into: &entry)
      case "tags":
        if let text = member.value.text {
          entry.tags += text.split { $0 == "," || $0 == " " }.map(String.init)
        } else {
          entry.addTags(member.value)
        }
      case "starred", "favorite", "favourite", "is_favorite":
        // SQLite has no type for true and false, but 1 and 0.
        if member.value.isTrue || member.value == .number("1") {
          entry.isStarred = true
        } else if member.value != .number("0") {
          member.value.appendFields(member.key, to: &entry.fields)
        }
      case "id", "uuid":
        if let id = member.value.text { entry.sourceID = "phone/" + withSingleBlanks(id) }
        if case .number(let digits) = member.value { entry.sourceID = "phone/" + digits }
      default: member.value.appendFields(member.key, to: &entry.fields)
      }
    }
    batch.entries.append(entry)
  }
  return batch
}

/// Returns whether seconds count from 2001-01-01, as in Core Data. As Unix times all would be
/// before 2001, and as Core Data times all are after 2007, when the first of these phones came.
func hasCoreDataEpoch(_ seconds: [Int]) -> Bool {
  !seconds.isEmpty && seconds.allSatisfy { (189_302_400..<978_307_200).contains($0) }
}

private func phoneWeather(_ value: JSONValue, into entry: inout ImportedEntry) {
  if let text = value.text.map(withSingleBlanks) {
    let read = Weather(reading: text)
    let isTemperature = text.wholeMatch(of: /[-+−]?[0-9.,]+ ?[°º˚]? ?[CcFf℃℉]/) != nil
    if read?.condition != nil || isTemperature && read?.celsius != nil {
      entry.weather = ImportedWeather(
        conditionText: read?.condition?.rawValue, celsius: read?.celsius)
      return
    }
    // A text that is not replaced by a condition contains its temperature.
    entry.weather = ImportedWeather(
      conditionText: text, celsius: Condition(foreign: text) == nil ? nil : read?.celsius)
    if entry.weather?.contains(text) != true { value.appendFields("weather", to: &entry.fields) }
    return
  }
  let words = ["condition", "description", "summary", "text", "name"].lazy
    .compactMap { value[$0]?.text }.first
  let unit = value["unit"]?.text ?? value["units"]?.text
  let isImperial = unit.map { $0.lowercased().contains("f") || $0 == "imperial" } ?? false
  let degrees =
    celsius(value["celsius"]?.double ?? value["temperature_c"]?.double ?? value["temp_c"]?.double)
    ?? celsius(
      value["fahrenheit"]?.double ?? value["temperature_f"]?.double ?? value["temp_f"]?.double,
      unit: "F")
    ?? celsius(
      value["temperature"]?.double ?? value["temp"]?.double, unit: isImperial ? "F" : nil)
  if words != nil || degrees != nil {
    entry.weather = ImportedWeather(conditionText: words.map(withSingleBlanks), celsius: degrees)
  }
  guard case .object(let members) = value else {
    return value.appendFields("weather", to: &entry.fields)
  }
  let temperatureKeys = [
    "celsius", "temperature_c", "temp_c", "temperature", "temp", "unit", "units",
    "fahrenheit", "temperature_f", "temp_f",
  ]
  entry.addWeatherFields(members, except: degrees == nil ? [] : temperatureKeys)
}

private func phonePlace(_ value: JSONValue, named key: String, into entry: inout ImportedEntry) {
  guard entry.place == nil else { return value.appendFields(key, to: &entry.fields) }
  if let text = value.text { return entry.place = withSingleBlanks(text) }
  let name = ["name", "place", "address", "label", "city"].lazy.compactMap { value[$0]?.text }.first
  let latitude = value["latitude"]?.double ?? value["lat"]?.double
  let longitude = value["longitude"]?.double ?? value["lon"]?.double ?? value["lng"]?.double
  let point = coordinates(latitude, longitude)
  entry.place = name.map(withSingleBlanks) ?? point
  if name != nil, let point { entry.fields.append(ImportedField("coordinates", .text(point))) }
  guard case .object(let members) = value else {
    return value.appendFields(key, to: &entry.fields)
  }
  let coordinateKeys = ["latitude", "lat", "longitude", "lon", "lng"]
  for member in members {
    if point != nil, coordinateKeys.contains(member.key) { continue }
    if let name, member.value.text == name { continue }
    member.value.appendFields("location_" + member.key, to: &entry.fields)
  }
}
