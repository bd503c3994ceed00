import Localization

/// A settings file in which single settings can be changed. All other bytes are preserved.
package struct SettingsFile: Hashable, Sendable {
  /// The current content.
  package private(set) var bytes: [UInt8]

  /// Creates a file from its bytes. Empty for a file that does not exist yet.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Writes a setting on one line, in place of its existing lines or at the end. `key` is a name,
  /// or two names joined by a period (`weather.provider`). Throws, and changes nothing, if the file
  /// is invalid YAML or if its layout would cause other settings to change.
  package mutating func set(_ key: String, _ value: SettingValue) throws(SettingsFileError) {
    try change(key, value)
  }

  /// Removes a setting. Does nothing if it is not present.
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

  /// The expected fields of the file after the change.
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

/// The reason a settings file was not changed.
package struct SettingsFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// The file is not YAML. Contains the parser's reason.
    case unreadable(String)
    /// The lines of the setting cannot be separated from those of other settings.
    case notEditableByLine
  }

  /// The setting to be written.
  package var key: String?
  /// 1 for the first line, if known.
  package var line: Int?
  package var reason: Reason

  package init(key: String?, line: Int?, reason: Reason) {
    self.key = key
    self.line = line
    self.reason = reason
  }

  /// One sentence without the file's name, which only the caller has.
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
