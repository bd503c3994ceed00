import Foundation
import Localization

/// The values collected while the settings files are read.
struct SettingsDraft {
  var settings = Settings()
  var placeName: String?
  var latitude: Double?
  var longitude: Double?
}

/// A setting: where it is allowed, its default, and how its value is parsed. The settings loader,
/// `diary config` and docs/settings.md use these rules.
struct SettingRule: Sendable {
  /// The source from which a setting may be read.
  enum Scope: Sendable {
    /// Also the shared file.
    case shared
    /// Personal only: it can run a program or send data, or it belongs to one device.
    case personal
    /// A key: personal, and never repeated in a message.
    case secret
  }

  let scope: Scope
  /// The default as the user would type it. Empty if there is none or if it is not fixed.
  let defaultValue: String
  /// True if a text is split at commas.
  let isList: Bool
  /// The listed setting that this one is part of, or an alternative form of.
  let parentKey: String?
  /// One sentence for the user. `nil` for a setting that is not listed.
  let meaning: (@Sendable () -> String)?
  /// Parses a value and stores it in the draft.
  let apply: Application

  typealias Application =
    @Sendable (inout SettingsDraft, SettingValue) throws(InvalidSetting) -> Void

  /// Creates a setting that is listed.
  init(
    _ scope: Scope, _ defaultValue: String, isList: Bool = false,
    _ meaning: @autoclosure @escaping @Sendable () -> String, _ apply: @escaping Application
  ) {
    self.scope = scope
    self.defaultValue = defaultValue
    self.isList = isList
    parentKey = nil
    self.meaning = meaning
    self.apply = apply
  }

  /// Creates a part of a listed setting, or an alternative form of one.
  init(_ scope: Scope, partOf parentKey: String?, _ apply: @escaping Application) {
    self.scope = scope
    defaultValue = ""
    isList = false
    self.parentKey = parentKey
    meaning = nil
    self.apply = apply
  }

  /// The rule of a setting, with nested keys joined by a period. `nil` if there is no such setting.
  static func rule(for key: String) -> SettingRule? {
    if let rule = all[key] { return rule }
    let parts = key.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty else { return nil }
    return parts[0] == "journals" ? journalRule(String(parts[1])) : nil
  }

  /// The names of settings that contain other settings.
  static let groups: Set<String> = Set(
    all.keys.compactMap { key in key.firstIndex(of: ".").map { String(key[..<$0]) } }
      + ["journals"])

  /// All listed settings in order, the shared ones first.
  static var listed: [(key: String, rule: SettingRule)] {
    let rules = [writing, saving, personal].flatMap { part in
      part.compactMap { $0.value.meaning == nil ? nil : ($0.key, $0.value) }
    }
    return rules.filter { $0.1.scope == .shared } + rules.filter { $0.1.scope != .shared }
  }

  private static let all = Dictionary(
    uniqueKeysWithValues: [writing, saving, personal].flatMap { part in
      part.map { ($0.key, $0.value) }
    })

  /// Settings for the definition of an entry and for new entries.
  private static let writing: KeyValuePairs<String, SettingRule> = [
    "time_zone": SettingRule(
      .shared, "",
      localized(
        "The time zone of dates without one: an IANA name such as Asia/Seoul. Default: "
          + "the machine's; `init` writes its name.")
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized("the name of a time zone, such as Asia/Seoul")
      let name = try value.text(expected)
      guard TimeZone(identifier: name) != nil else { throw InvalidSetting(expected: expected) }
      draft.settings.timeZone = name
    },
    "entries.include": .patterns(
      \.include, "**",
      localized(
        "Patterns of the Markdown files that are entries, relative to the journal's "
          + "folder, as in .gitignore.")),
    "entries.exclude": .patterns(
      \.exclude, "", localized("Patterns of the Markdown files that are not entries.")),
    "titles": SettingRule(
      .shared, "header,h1,line,name", isList: true,
      localized("The sources of an entry's title, in this order.")
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized("a list of header, h1, line and name")
      var titles: [Settings.TitleSource] = []
      for name in try value.list(expected) {
        guard let source = Settings.TitleSource(rawValue: name) else {
          throw InvalidSetting(expected: expected)
        }
        if !titles.contains(source) { titles.append(source) }
      }
      guard !titles.isEmpty else { throw InvalidSetting(expected: expected) }
      draft.settings.titles = titles
    },
    "day_starts_at": SettingRule(
      .shared, "00:00",
      localized("The start of a day, up to 12:00: entries before it belong to the day before.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.dayStartsAt = try value.timeOfDay()
    },
    "layout": SettingRule(
      .shared, "{year}/{month}/{date}-{slug}.md",
      localized(
        "The path of new entries in the journal; it contains the day or the title and ends in .md.")
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized(
        "a path inside the journal that contains the day or the title and ends in .md")
      let pattern = try value.text(expected)
      guard PathTemplate(pattern) != nil else { throw InvalidSetting(expected: expected) }
      draft.settings.layout = pattern
    },
    "daily_note": SettingRule(
      .shared, "none",
      localized(
        "The path of the daily note: `new` without a title and `add` write to it, and make it if it "
          + "does not exist.")
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized(
        "a path inside the journal that contains the day and ends in .md, or none")
      draft.settings.dailyNote = nil
      if value == .empty { return }
      let pattern = try value.text(expected)
      if pattern == "none" { return }
      guard PathTemplate(pattern)?.isDaily == true else { throw InvalidSetting(expected: expected) }
      draft.settings.dailyNote = pattern
    },
    "template": SettingRule(
      .shared, "plain",
      localized("The template of new entries: a name without a path.")
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized("the name of a template without its path, such as plain")
      let name = try value.text(expected)
      guard EntryPath(name)?.names.count == 1, !name.hasPrefix(".") else {
        throw InvalidSetting(expected: expected)
      }
      draft.settings.template = name
    },
    "tags.marks": SettingRule(
      .shared, "#",
      localized("The characters before the tags of a text: \"#\", \"@\" or both, \"#@\".")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.tagMarks = try value.choice(Settings.TagMarks.self)
    },
    "on_this_day": .bool(
      .shared, \.onThisDay,
      localized(
        "Whether `new` and `add` show what you wrote on this day in earlier years, on a terminal."
      )),
    "index": SettingRule(.shared, partOf: "index.file", setIndexFile),
    "index.file": SettingRule(
      .shared, "INDEX.md",
      localized(
        "The file with the list of all entries, or none. Default: none in an adopted folder."),
      setIndexFile),
    "index.commit": .bool(
      .shared, \.indexIsCommitted, localized("Whether the list of entries is committed.")),
    "units": SettingRule(
      .shared, "metric",
      localized("The unit of temperatures: metric or imperial.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.units = try value.choice(Units.self)
    },
  ]

  /// Settings for saving and sync.
  private static let saving: KeyValuePairs<String, SettingRule> = [
    "autosave.settle": .duration(
      \.settle, 0.05...60, "2s",
      localized("How long a file must stay unchanged before it is saved: 50ms to 1m.")),
    "autosave.longest": .duration(
      \.longest, 0.05...600, "30s",
      localized("The longest delay of a save while a file keeps changing: 50ms to 10m.")),
    "autosave.sitting": .duration(
      \.sitting, 0...86_400, "5m",
      localized(
        "The pause after which saves are committed: 0s to 1d; 0s makes every save a commit.")),
    "autosave.files": SettingRule(
      .personal, "",
      localized(
        "Which files are saved: all, or entries and the files that they link to "
          + "(entries). Default: all in a journal that Diary created, entries in an adopted "
          + "folder.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.savedFiles = try value.choice(Settings.SavedFiles.self)
    },
    "stamp": SettingRule(
      .personal, "",
      localized(
        "Which new files get a date and the weather: all, or only entries of `diary new` "
          + "(new). Default: all in a journal that Diary created, new in an adopted folder.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.stampedFiles = try value.choice(Settings.StampedFiles.self)
    },
    "sync.remote": SettingRule(
      .shared, "origin",
      localized(
        "The name of the git remote, as in the local git configuration, unless `init --sealed` chose one."
      )
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized("the name of a remote that git knows, such as origin")
      let name = try value.text(expected)
      guard isRemoteName(name) else { throw InvalidSetting(expected: expected) }
      draft.settings.syncRemote = name
    },
    "sync.push_after": .duration(
      \.pushAfter, 0...86_400, "1m",
      localized("Delay from a commit to its push by `watch --sync`: 0s to 1d.")),
    "sync.fetch_every": .duration(
      \.fetchEvery, 10...86_400, "5m",
      localized("Time between two fetches of `watch --sync`: 10s to 1d.")),
    "sync.timeout": .duration(
      \.syncTimeout, 1...86_400, "10m",
      localized("The timeout of a fetch or a push: 1s to 1d.")),
    "sync.adopted": .bool(
      .personal, \.syncsAdopted,
      localized(
        "Whether `watch --sync` may push from a repository that Diary did not create to "
          + "a remote that you did not add with Diary.")),
  ]

  private static func duration(
    _ property: any WritableKeyPath<Settings, Double> & Sendable, _ bounds: ClosedRange<Double>,
    _ defaultValue: String, _ meaning: @autoclosure @escaping @Sendable () -> String
  ) -> SettingRule {
    SettingRule(.shared, defaultValue, meaning()) { (draft, value) throws(InvalidSetting) in
      draft.settings[keyPath: property] = try value.duration(bounds)
    }
  }

  private static func bool(
    _ scope: Scope, _ property: any WritableKeyPath<Settings, Bool> & Sendable,
    _ meaning: @autoclosure @escaping @Sendable () -> String
  ) -> SettingRule {
    SettingRule(scope, "false", meaning()) { (draft, value) throws(InvalidSetting) in
      draft.settings[keyPath: property] = try value.bool()
    }
  }

  private static func patterns(
    _ property: any WritableKeyPath<Settings, [String]> & Sendable, _ defaultValue: String,
    _ meaning: @autoclosure @escaping @Sendable () -> String
  ) -> SettingRule {
    SettingRule(.shared, defaultValue, isList: true, meaning()) {
      (draft, value) throws(InvalidSetting) in
      let list = try value.list(localized("a list of patterns, such as [\"**\"]"))
      guard list.allSatisfy({ PathGlob($0) != nil }) else {
        throw InvalidSetting(expected: localized("a list of patterns, none of them empty"))
      }
      draft.settings[keyPath: property] = list
    }
  }

  private static func setIndexFile(
    _ draft: inout SettingsDraft, _ value: SettingValue
  ) throws(InvalidSetting) {
    let expected = localized("a path inside the journal that ends in .md, or none")
    draft.settings.indexFile = nil
    if value == .empty { return }
    let text = try value.text(expected)
    if ["none", "false", "off", "no"].contains(text) { return }
    guard let path = EntryPath(text), path.fileExtension == "md", !path.isHidden else {
      throw InvalidSetting(expected: expected)
    }
    draft.settings.indexFile = path
  }

  /// Accepts a remote's name, not a URL: a shared file must not decide where a journal is sent.
  private static func isRemoteName(_ name: String) -> Bool {
    guard let first = name.first, first.isLetter || first.isNumber, name != ".." else {
      return false
    }
    return name.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
  }
}
