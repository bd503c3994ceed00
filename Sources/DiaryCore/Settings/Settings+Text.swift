extension Settings {
  /// The initial shared settings file of a new or adopted journal: the zone and all values that
  /// differ from the defaults, one line each.
  package static func sharedText(_ settings: Settings) -> [UInt8] {
    let defaults = Settings()
    var lines = ["# The settings of this journal, shared by git."]
    func texts(_ texts: [String]) -> SettingValue { .list(texts.map { .text($0) }) }
    func add(_ key: String, _ value: SettingValue) { lines.append("\(key): \(value.yaml)") }
    if let zone = settings.timeZone { add("time_zone", .text(zone)) }
    if settings.include != defaults.include || settings.exclude != defaults.exclude {
      let include = texts(settings.include).yaml
      let exclude = texts(settings.exclude).yaml
      lines.append("entries: {include: \(include), exclude: \(exclude)}")
    }
    if settings.titles != defaults.titles {
      add("titles", texts(settings.titles.map(\.rawValue)))
    }
    if settings.layout != defaults.layout { add("layout", .text(settings.layout)) }
    if let note = settings.dailyNote { add("daily_note", .text(note)) }
    if settings.indexFile != defaults.indexFile {
      add("index", .mapping([.init("file", .text(settings.indexFile?.text ?? "none"))]))
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }
}
