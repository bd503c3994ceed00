import Foundation
import Localization

/// What is being put together while the files are read.
struct SettingsDraft {
  var settings = Settings()
  var placeName: String?
  var latitude: Double?
  var longitude: Double?
}

/// One setting: where it may stand, and what its value means.
struct SettingRule: Sendable {
  /// Where a setting is read from.
  enum Scope: Sendable {
    /// The shared file too.
    case shared
    /// It can run a program or send something out, or it is this device's own.
    case personal
    /// A key: personal, and never repeated in a message.
    case secret
  }

  let scope: Scope
  let apply: @Sendable (inout SettingsDraft, SettingValue) throws(InvalidSetting) -> Void

  init(
    _ scope: Scope,
    _ apply: @escaping @Sendable (inout SettingsDraft, SettingValue) throws(InvalidSetting) -> Void
  ) {
    self.scope = scope
    self.apply = apply
  }

  /// The rule of a setting, nested keys joined by a point; `nil` when there is no such setting.
  static func named(_ key: String) -> SettingRule? {
    if let rule = all[key] { return rule }
    guard key.hasPrefix("hooks."), key.count > 6 else { return nil }
    let moment = String(key.dropFirst(6))
    return SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.hooks[moment] = value == .empty ? nil : try value.command()
    }
  }

  /// The settings that hold others.
  static let groups: Set<String> = Set(
    all.keys.compactMap { key in key.firstIndex(of: ".").map { String(key[..<$0]) } } + ["hooks"])

  private static let all = writing.merging(saving) { $1 }.merging(personal) { $1 }

  /// What an entry is, and how a new one is written.
  private static let writing: [String: SettingRule] = [
    "time_zone": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      let wanted = localized("the name of a time zone, such as Asia/Seoul")
      let name = try value.text(wanted)
      guard TimeZone(identifier: name) != nil else { throw InvalidSetting(wanted: wanted) }
      draft.settings.timeZone = name
    },
    "entries.include": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.include = try patterns(value)
    },
    "entries.exclude": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.exclude = try patterns(value)
    },
    "titles": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      let wanted = localized("a list of header, h1, line and name")
      var titles: [Settings.TitleSource] = []
      for name in try value.list(wanted) {
        guard let source = Settings.TitleSource(rawValue: name) else {
          throw InvalidSetting(wanted: wanted)
        }
        if !titles.contains(source) { titles.append(source) }
      }
      guard !titles.isEmpty else { throw InvalidSetting(wanted: wanted) }
      draft.settings.titles = titles
    },
    "day_starts_at": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.dayStartsAt = try value.morning()
    },
    "layout": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      let wanted = localized(
        "a path inside the journal that names a day or a title and ends in .md")
      let pattern = try value.text(wanted)
      guard PathTemplate(pattern) != nil else { throw InvalidSetting(wanted: wanted) }
      draft.settings.layout = pattern
    },
    "daily_note": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      let wanted = localized("a path inside the journal that names a day and ends in .md, or none")
      draft.settings.dailyNote = nil
      if value == .empty { return }
      let pattern = try value.text(wanted)
      if pattern == "none" { return }
      guard PathTemplate(pattern)?.isOfOneDay == true else { throw InvalidSetting(wanted: wanted) }
      draft.settings.dailyNote = pattern
    },
    "template": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      let wanted = localized("the bare name of a template, such as plain")
      let name = try value.text(wanted)
      guard EntryPath(name)?.names.count == 1, !name.hasPrefix(".") else {
        throw InvalidSetting(wanted: wanted)
      }
      draft.settings.template = name
    },
    "index": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.indexFile = try indexFile(value)
    },
    "index.file": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.indexFile = try indexFile(value)
    },
    "index.commit": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.indexIsCommitted = try value.flag()
    },
    "units": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.units = try value.choice(Units.self)
    },
  ]

  /// When things are saved and sent.
  private static let saving: [String: SettingRule] = [
    "autosave.settle": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.settle = try value.duration(0.05...60)
    },
    "autosave.longest": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.longest = try value.duration(0.05...600)
    },
    "autosave.sitting": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.sitting = try value.duration(0...86_400)
    },
    "autosave.files": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.savedFiles = try value.choice(Settings.SavedFiles.self)
    },
    "stamp": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.stampedFiles = try value.choice(Settings.StampedFiles.self)
    },
    "sync.remote": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      let wanted = localized("the name of a remote that git knows, such as origin")
      let name = try value.text(wanted)
      guard isRemoteName(name) else { throw InvalidSetting(wanted: wanted) }
      draft.settings.syncRemote = name
    },
    "sync.push_after": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.pushAfter = try value.duration(0...86_400)
    },
    "sync.fetch_every": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.fetchEvery = try value.duration(10...86_400)
    },
    "sync.timeout": SettingRule(.shared) { (draft, value) throws(InvalidSetting) in
      draft.settings.syncTimeout = try value.duration(1...86_400)
    },
    "sync.adopted": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.syncsAdopted = try value.flag()
    },
  ]

  private static func patterns(_ value: SettingValue) throws(InvalidSetting) -> [String] {
    let list = try value.list(localized("a list of patterns, such as [\"**\"]"))
    guard list.allSatisfy({ PathGlob($0) != nil }) else {
      throw InvalidSetting(wanted: localized("a list of patterns, none of them empty"))
    }
    return list
  }

  private static func indexFile(_ value: SettingValue) throws(InvalidSetting) -> EntryPath? {
    let wanted = localized("a path inside the journal that ends in .md, or none")
    if value == .empty { return nil }
    let text = try value.text(wanted)
    if ["none", "false", "off", "no"].contains(text) { return nil }
    guard let path = EntryPath(text), path.fileExtension == "md", !path.isHidden else {
      throw InvalidSetting(wanted: wanted)
    }
    return path
  }

  /// A name, not an address: what stands in a shared file must not say where a journal is sent.
  private static func isRemoteName(_ name: String) -> Bool {
    guard let first = name.first, first.isLetter || first.isNumber, name != ".." else {
      return false
    }
    return name.allSatisfy { $0.isLetter || $0.isNumber || "._-".contains($0) }
  }
}
