import DiaryCore

/// Which files are entries, by their names alone (docs/format.md).
package struct EntryMatcher: Sendable {
  private let include: [PathGlob]
  private let exclude: [PathGlob]
  /// Whether the settings take every file, as they do unless told otherwise.
  private let includesAll: Bool
  private let indexFile: EntryPath?

  /// The rules that a journal's settings make. A pattern that says nothing is passed by.
  package init(settings: Settings) {
    include = settings.include.compactMap { PathGlob($0) }
    exclude = settings.exclude.compactMap { PathGlob($0) }
    includesAll = settings.include.contains("**") && exclude.isEmpty
    indexFile = settings.indexFile
  }

  /// Whether a file of this name is an entry, unless it is a list that Diary made, or git ignores
  /// it, or it lies in another repository. A sync program's conflict copy is none.
  package func isEntry(_ path: EntryPath) -> Bool {
    guard Self.hasEntryName(path.bytes), !Self.isRootReadme(path), !Self.isEditorFile(path),
      !ConflictCopy.isCopyName(path.nameBytes)
    else { return false }
    return includesAll
      || include.contains { $0.matches(path) } && !exclude.contains { $0.matches(path) }
  }

  /// Whether a file that is no entry may be saved where all files are (`files: all`).
  package func mayBeSaved(_ path: EntryPath) -> Bool {
    !path.isHidden && !FileName.isNeverSaved(path) && !FileName.isSecret(path)
  }

  /// Whether the file belongs to the journal's own settings, which are saved with the entries.
  package static func isSettingsFile(_ path: EntryPath) -> Bool {
    let names = path.names
    guard names.count >= 2, names[0].elementsEqual(".diary".utf8) else { return false }
    if names.count == 2 { return names[1].elementsEqual("config.yml".utf8) }
    return names[1].elementsEqual("templates".utf8)
      && !names[2...].contains { $0.first == UInt8(ascii: ".") }
  }

  /// Where a list of Diary's own may lie: its place now, and the usual one of other devices.
  func mayBeListFile(_ path: EntryPath) -> Bool {
    path == indexFile || path.bytes.elementsEqual("INDEX.md".utf8)
  }

  /// Of the traces that editors leave only those that begin with `~` end like an entry.
  private static func isEditorFile(_ path: EntryPath) -> Bool {
    path.nameBytes.first == UInt8(ascii: "~") && FileName.isEditorFile(path.nameBytes)
  }

  private static func isRootReadme(_ path: EntryPath) -> Bool {
    path.bytes.count == 9 && hasEnding(path.bytes, "readme.md")
  }

  /// `isMarkdown && !isHidden` of ``EntryPath``, without a `String` for each of ten thousand files.
  private static func hasEntryName(_ bytes: [UInt8]) -> Bool {
    guard hasEnding(bytes, ".md") || hasEnding(bytes, ".markdown") else { return false }
    let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
    return bytes.withUnsafeBufferPointer { bytes in
      bytes[0] != dot
        && !(1..<bytes.count).contains { bytes[$0] == dot && bytes[$0 - 1] == slash }
    }
  }

  /// `ending` is in small ASCII letters; the bytes may have capitals.
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
