import DiaryCore

/// Decides by name alone which files are entries (docs/format.md).
package struct EntryMatcher: Sendable {
  private let include: [PathGlob]
  private let exclude: [PathGlob]
  /// True if the settings include every file, as they do by default.
  private let includesAll: Bool
  private let indexFile: EntryPath?

  /// Creates the rules of a journal's settings. Empty patterns are ignored.
  package init(settings: Settings) {
    include = settings.include.compactMap { PathGlob($0) }
    exclude = settings.exclude.compactMap { PathGlob($0) }
    includesAll = settings.include.contains("**") && exclude.isEmpty
    indexFile = settings.indexFile
  }

  /// True if a file with this name is an entry, unless it is a list file, is ignored by git, or is
  /// in another repository. Conflict copies of sync programs are not entries.
  package func isEntry(_ path: EntryPath) -> Bool {
    guard Self.hasEntryName(path.bytes), !Self.isRootReadme(path), !Self.isEditorFile(path),
      !ConflictCopy.isCopyName(path.nameBytes)
    else { return false }
    return includesAll
      || include.contains { $0.matches(path) } && !exclude.contains { $0.matches(path) }
  }

  /// True if a file that is not an entry may be saved with `files: all`.
  package func mayBeSaved(_ path: EntryPath) -> Bool {
    !path.isHidden && !FileName.isNeverSaved(path) && !FileName.isSecret(path)
  }

  /// True if the file belongs to the journal's settings, which are saved with the entries.
  package static func isSettingsFile(_ path: EntryPath) -> Bool {
    let names = path.names
    guard names.count >= 2, names[0].elementsEqual(".diary".utf8) else { return false }
    if names.count == 2 { return names[1].elementsEqual("config.yml".utf8) }
    return names[1].elementsEqual("templates".utf8)
      && !names[2...].contains { $0.first == UInt8(ascii: ".") }
  }

  /// True for a possible path of the list file: the current one, and the default of other devices.
  func mayBeListFile(_ path: EntryPath) -> Bool {
    path == indexFile || path.bytes.elementsEqual("INDEX.md".utf8)
  }

  /// True for a file of an editor. Only those that start with `~` can end like an entry.
  private static func isEditorFile(_ path: EntryPath) -> Bool {
    path.nameBytes.first == UInt8(ascii: "~") && FileName.isEditorFile(path.nameBytes)
  }

  private static func isRootReadme(_ path: EntryPath) -> Bool {
    path.bytes.count == 9 && hasEnding(path.bytes, "readme.md")
  }

  /// Returns `isMarkdown && !isHidden` of ``EntryPath``, but without ten thousand `String`s.
  private static func hasEntryName(_ bytes: [UInt8]) -> Bool {
    guard hasEnding(bytes, ".md") || hasEnding(bytes, ".markdown") else { return false }
    let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
    return bytes.withUnsafeBufferPointer { bytes in
      bytes[0] != dot
        && !(1..<bytes.count).contains { bytes[$0] == dot && bytes[$0 - 1] == slash }
    }
  }

  /// Compares an ending in lower-case ASCII, ignoring the case of the bytes.
  private static func hasEnding(_ bytes: [UInt8], _ ending: StaticString) -> Bool {
    let start = bytes.count - ending.utf8CodeUnitCount
    guard start >= 0 else { return false }
    return ending.withUTF8Buffer { ending in
      ending.indices.allSatisfy { index in
        let byte = bytes[start + index]
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
          ? byte | 0x20 == ending[index] : byte == ending[index]
      }
    }
  }
}
