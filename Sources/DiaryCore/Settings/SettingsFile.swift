import Localization

/// A settings file in which single settings are changed: every other byte stays as it was.
package struct SettingsFile: Hashable, Sendable {
  /// The file as it is now.
  package private(set) var bytes: [UInt8]

  /// A file from its bytes; empty for a file that is not there yet.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Writes one setting in one line, in place of its own lines or at the end. `key` is a name, or
  /// two joined by a point (`weather.provider`). Throws, and changes nothing, when the file is not
  /// readable YAML or is laid out so that other settings would be touched.
  package mutating func set(_ key: String, _ value: SettingValue) throws(SettingsFileError) {
    try change(key, value)
  }

  /// Takes one setting away; nothing happens when it is not there.
  package mutating func remove(_ key: String) throws(SettingsFileError) { try change(key, nil) }

  private mutating func change(_ key: String, _ value: SettingValue?) throws(SettingsFileError) {
    let before = try SettingsFile.fields(bytes)
    var editor = SettingsEditor(bytes)
    let parts = key.split(separator: ".", maxSplits: 1).map(String.init)
    if parts.count == 2 {
      let outer = before[parts[0]]
      if value == nil, outer == nil { return }
      editor.change(parts[1], in: parts[0], to: value, current: outer)
    } else {
      editor.change(key, to: value)
    }
    let after = try SettingsFile.fields(editor.bytes)
    guard after == SettingsFile.expected(before, parts, value) else {
      throw SettingsFileError(key: key, line: nil, reason: .notEditableByLine)
    }
    bytes = editor.bytes
  }

  private static func fields(_ bytes: [UInt8]) throws(SettingsFileError) -> [String: SettingValue] {
    do {
      return try ParsedSettings.fields(bytes)
    } catch {
      throw SettingsFileError(key: nil, line: error.line, reason: .unreadable(error.reason))
    }
  }

  /// What the file must say after the change, and nothing else.
  private static func expected(
    _ before: [String: SettingValue], _ parts: [String], _ value: SettingValue?
  ) -> [String: SettingValue] {
    var after = before
    guard parts.count == 2 else {
      after[parts[0]] = value
      return after
    }
    var inner = SettingsEditor.fields(of: before[parts[0]])
    SettingsEditor.set(parts[1], value, in: &inner)
    after[parts[0]] = inner.isEmpty ? nil : .mapping(inner)
    return after
  }
}

/// Why a settings file was left as it is.
package struct SettingsFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What stood in the way.
  package enum Reason: Hashable, Sendable {
    /// It is not YAML, for the reason given.
    case unreadable(String)
    /// The setting cannot be told from its neighbours line by line.
    case notEditableByLine
  }

  /// The setting that was to be written.
  package var key: String?
  /// 1 for the first line, when known.
  package var line: Int?
  /// What stood in the way.
  package var reason: Reason

  package init(key: String?, line: Int?, reason: Reason) {
    self.key = key
    self.line = line
    self.reason = reason
  }

  /// One sentence without the file's name, which only the caller knows.
  package var description: String {
    switch reason {
    case .unreadable(let reason):
      localized("the settings cannot be read") + (line.map { localized(", line \($0)") } ?? "")
        + ": \(reason)"
    case .notEditableByLine:
      localized(
        "\(key ?? "the setting") cannot be changed without touching other settings; edit it by hand"
      )
    }
  }
}
