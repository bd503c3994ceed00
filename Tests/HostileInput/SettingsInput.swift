import DiaryCore

/// Checks three parts: a shared file, a personal one, and a value that is written to both.
func settingsComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 3)
  let (settings, problems) = Settings.load(
    shared: input[0], sharedName: "shared", personal: input[1], personalName: "personal",
    environment: ["DIARY_LAYOUT": decodedText(input[2])])
  if !settings.dayStartsAt.isInDay { return "a day that starts at \(settings.dayStartsAt)" }
  for span in [settings.settle, settings.longest, settings.sitting, settings.syncTimeout]
  where !span.isFinite || span < 0 {
    return "a time of \(span)"
  }
  if PathTemplate(settings.layout) == nil { return "layout \(settings.layout)" }
  if settings.template.contains("/") || settings.template.hasPrefix(".") {
    return "template \(settings.template)"
  }
  if problems.contains(where: { $0.message.isEmpty }) { return "a problem without words" }
  return sharedComplaint(input[0]) ?? editComplaint(input[0], decodedText(input[2]))
    ?? editComplaint(input[1], decodedText(input[2]))
}

/// Checks that a shared file alone sets no program, place or address.
private func sharedComplaint(_ bytes: [UInt8]) -> String? {
  let (settings, _) = Settings.load(
    shared: bytes, sharedName: "shared", personal: nil, personalName: "personal", environment: [:])
  let isHarmless =
    settings.editor == nil && settings.weatherCommand.isEmpty
    && settings.place == nil && settings.weatherURL == nil && settings.openWeatherKey == nil
    && settings.journal == nil
  return isHarmless ? nil : "a shared file gave \(settings)"
}

private func editComplaint(_ bytes: [UInt8], _ said: String) -> String? {
  for key in ["layout", "weather.provider", "autosave.settle", "place"] {
    var file = SettingsFile(bytes)
    guard (try? file.set(key, .text(said))) != nil else {
      if file.bytes != bytes { return "a refused \(key) changed the file" }
      continue
    }
    var again = file
    guard (try? again.set(key, .text(said))) != nil, again.bytes == file.bytes else {
      return "\(key) twice is not once"
    }
    guard (try? again.remove(key)) != nil else { return "\(key) cannot be taken away again" }
  }
  return nil
}

extension Int {
  fileprivate var isInDay: Bool { (0..<86_400).contains(self) }
}
