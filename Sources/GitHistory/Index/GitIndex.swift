import DiaryCore
import Glibc

/// Git's index file (gitformat-index(5), versions 2 to 4), read by Diary itself. With many entries,
/// libgit2's reading and writing took most of the time of a one-file commit. libgit2 also dropped
/// the data that it does not know.
struct GitIndex {
  /// The reason why an index cannot be read: the setting that changes its format, or the damage.
  struct Unreadable: Error { let reason: String }

  /// The position of an entry: its fixed part in ``bytes``, its path in ``pathBytes``.
  struct EntryOffsets {
    let start: Int
    let path: Range<Int>
    /// The number of bytes before the path.
    let fixedLength: Int
  }

  /// A part of the file after the entries.
  struct Extension {
    let name: [UInt8]
    let content: Range<Int>
  }

  let bytes: [UInt8]
  /// The paths. Version 4 stores only a path's difference from the previous one.
  let pathBytes: [UInt8]
  let version: UInt32
  let items: [EntryOffsets]
  let extensions: [Extension]
  /// True if the checksum was omitted (`index.skipHash`).
  let hasNoChecksum: Bool
  let hasConflicts: Bool

  /// - Parameter bytes: The file, or `nil` if the repository has no index yet.
  init(_ bytes: [UInt8]?) throws(Unreadable) {
    guard let bytes else {
      (self.bytes, pathBytes, version, items, extensions) = ([], [], 2, [], [])
      (hasNoChecksum, hasConflicts) = (false, false)
      return
    }
    var reader = IndexReader(bytes)
    try reader.readAll()
    self.bytes = bytes
    pathBytes = reader.version == 4 ? reader.pathBytes : bytes
    (version, items, extensions) = (reader.version, reader.items, reader.extensions)
    (hasNoChecksum, hasConflicts) = (reader.hasNoChecksum, reader.hasConflicts)
  }

  /// Returns the staged entry of a path, apart from conflicts.
  func entry(at path: EntryPath) -> IndexEntry? {
    let position = position(of: path.bytes)
    guard position < items.count, isNamed(items[position], path), stage(of: items[position]) == 0
    else {
      return nil
    }
    return entry(items[position])
  }

  func hasConflict(at path: EntryPath) -> Bool {
    guard hasConflicts else { return false }
    return items[position(of: path.bytes)...].prefix { isNamed($0, path) }.contains {
      stage(of: $0) > 0
    }
  }

  /// Returns every path with its staged entry, apart from conflicts.
  func entries() -> [(path: EntryPath, entry: IndexEntry)] {
    items.compactMap { item in
      guard stage(of: item) == 0, let path = path(of: item) else { return nil }
      return (path, entry(item))
    }
  }

  /// The id of the tree that the whole index stands for; `nil` if git has not recorded it.
  var rootTree: ObjectID? {
    extensions.first { $0.name.elementsEqual("TREE".utf8) }.flatMap {
      CacheTreeExtension(bytes[$0.content]).rootID
    }
  }

  /// Returns the unmerged entries, in the order of their paths and stages (1 to 3).
  func conflicts() -> [(path: EntryPath, stage: Int, entry: TreeEntry)] {
    guard hasConflicts else { return [] }
    return items.compactMap { item in
      guard stage(of: item) > 0, let path = path(of: item) else { return nil }
      return (path, stage(of: item), entry(item).entry)
    }
  }

  /// True if the index has a file below `folder`.
  func hasEntries(below folder: EntryPath) -> Bool {
    let prefix = folder.bytes + [UInt8(ascii: "/")]
    let position = position(of: prefix)
    return position < items.count && pathBytes[items[position].path].starts(with: prefix)
  }

  func path(of item: EntryOffsets) -> EntryPath? { EntryPath(bytes: Array(pathBytes[item.path])) }

  func stage(of item: EntryOffsets) -> Int { Int(bytes[item.start + 60] >> 4) & 3 }

  private func isNamed(_ item: EntryOffsets, _ path: EntryPath) -> Bool {
    pathBytes[item.path].elementsEqual(path.bytes)
  }

  private func entry(_ item: EntryOffsets) -> IndexEntry {
    let extended = item.fixedLength == 64 ? bytes[item.start + 62] : 0
    return IndexEntry(
      entry: TreeEntry(id: id(of: item), mode: bytes.bigEndianUInt32(at: item.start + 24)),
      isIntentToAdd: extended & 0x20 != 0, isSkipWorktree: extended & 0x40 != 0,
      isAssumedUnchanged: bytes[item.start + 60] & 0x80 != 0)
  }

  private func id(of item: EntryOffsets) -> ObjectID {
    ObjectID(twenty: bytes[item.start + 40..<item.start + 60])
  }

  /// Returns the position of the first entry that does not come before `path`.
  func position(of path: [UInt8]) -> Int {
    pathBytes.withUnsafeBytes { names in
      path.withUnsafeBytes { path in
        var (low, high) = (0, items.count)
        while low < high {
          let middle = (low + high) / 2
          let name = UnsafeRawBufferPointer(rebasing: names[items[middle].path])
          if pathOrder(name, path) < 0 { low = middle + 1 } else { high = middle }
        }
        return low
      }
    }
  }
}

/// The index entry of a path.
struct IndexEntry: Equatable {
  var entry: TreeEntry
  /// The flag of `git add -N`: the path is to be added, but nothing is staged yet.
  var isIntentToAdd: Bool
  /// True if a sparse checkout omits the file from the work tree.
  var isSkipWorktree: Bool
  /// The flag of `git update-index --assume-unchanged`.
  var isAssumedUnchanged: Bool
}

/// Compares paths as git does: by their bytes, a prefix before the longer path.
func pathOrder(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
  guard let first = one.baseAddress, let second = other.baseAddress else {
    return one.count - other.count
  }
  let result = Int(memcmp(first, second, min(one.count, other.count)))
  return result != 0 ? result : one.count - other.count
}
