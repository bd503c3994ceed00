import Crypto
import DiaryCore
import Glibc

extension GitIndex {
  /// The new entry of a path.
  struct Replacement {
    var entry: TreeEntry
    var isAssumedUnchanged = false
    var isSkipWorktree = false
    /// The file status that git compares, or `nil` if git must read the file.
    var status: stat?
  }

  /// Returns the bytes of this index with some entries replaced, or removed (`nil`).
  ///
  /// All else stays, except for caches that would no longer be right. `written` is the time of the
  /// old index. An entry that is not older is no proof of its file's content once the index is
  /// newer. It loses its size, so that git reads the file ("racy git",
  /// Documentation/technical/racy-git.txt).
  func updatedBytes(applying edits: [EntryPath: Replacement?], written: timespec?) -> [UInt8] {
    var writer = IndexWriter(version: version, capacity: bytes.count + 4096)
    let edits = edits.sorted { $0.key < $1.key }
    var next = 0
    bytes.withUnsafeBytes { bytes in
      pathBytes.withUnsafeBytes { names in
        for item in items {
          let path = UnsafeRawBufferPointer(rebasing: names[item.path])
          var difference = 1
          while next < edits.count {
            difference = edits[next].key.bytes.withUnsafeBytes { pathOrder($0, path) }
            if difference >= 0 { break }
            if let new = edits[next].value { writer.add(new, at: edits[next].key) }
            next += 1
          }
          // The entry is replaced: the edit is added before the next entry.
          if next < edits.count, difference == 0 { continue }
          let fixed = bytes[item.start..<item.start + item.fixedLength]
          writer.add(
            UnsafeRawBufferPointer(rebasing: fixed), path, isRacy: isRacy(item, written))
        }
      }
    }
    for edit in edits[next...] {
      if let new = edit.value { writer.add(new, at: edit.key) }
    }
    addExtensions(to: &writer, changed: edits.map(\.key))
    return writer.finish(hasNoChecksum: hasNoChecksum)
  }

  private func isRacy(_ item: EntryOffsets, _ written: timespec?) -> Bool {
    guard let written, bytes.bigEndianUInt32(at: item.start + 24) != TreeEntry.submodule else {
      return false
    }
    let seconds = bytes.bigEndianUInt32(at: item.start + 8)
    let limit = UInt32(truncatingIfNeeded: written.tv_sec)
    return seconds != limit
      ? seconds > limit : Int(bytes.bigEndianUInt32(at: item.start + 12)) >= written.tv_nsec
  }

  /// Adds the trees of unchanged folders, and the resolved conflicts. Git recomputes its caches of
  /// untracked files, of a file system monitor and of offsets in the file.
  private func addExtensions(to writer: inout IndexWriter, changed paths: [EntryPath]) {
    for part in extensions {
      switch String(decoding: part.name, as: UTF8.self) {
      case "TREE":
        if let trees = CacheTreeExtension(bytes[part.content]).updatedBytes(invalidating: paths) {
          writer.add(part.name, trees)
        }
      case "REUC": writer.add(part.name, Array(bytes[part.content]))
      default: break
      }
    }
  }
}

/// A builder of index files.
struct IndexWriter {
  private let version: UInt32
  private var bytes: [UInt8] = []
  private var count: UInt32 = 0
  /// The previous path; version 4 stores only the difference from it.
  private var last: [UInt8] = []

  init(version: UInt32, capacity: Int) {
    self.version = version
    bytes.reserveCapacity(capacity)
    bytes += "DIRC".utf8
    add(version)
    add(0)
  }

  /// Adds an entry unchanged; a racy one loses its size.
  mutating func add(
    _ fixed: UnsafeRawBufferPointer, _ path: UnsafeRawBufferPointer, isRacy: Bool
  ) {
    let start = bytes.count
    bytes.append(contentsOf: fixed)
    if isRacy { bytes.replaceSubrange(start + 36..<start + 40, with: [0, 0, 0, 0]) }
    addName(path, from: start)
  }

  mutating func add(_ new: GitIndex.Replacement, at path: EntryPath) {
    let start = bytes.count
    let status = new.status ?? stat()
    for number in [
      status.st_ctim.tv_sec, status.st_ctim.tv_nsec, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
    ] {
      add(UInt32(truncatingIfNeeded: number))
    }
    add(UInt32(truncatingIfNeeded: status.st_dev))
    add(UInt32(truncatingIfNeeded: status.st_ino))
    add(new.entry.mode)
    add(status.st_uid)
    add(status.st_gid)
    add(UInt32(truncatingIfNeeded: status.st_size))
    bytes += new.entry.id.bytes
    let length = UInt16(min(path.bytes.count, 0xFFF))
    let flags: UInt16 =
      (new.isAssumedUnchanged ? 0x8000 : 0) | (new.isSkipWorktree ? 0x4000 : 0) | length
    withUnsafeBytes(of: flags.bigEndian) { bytes += $0 }
    if new.isSkipWorktree { bytes += [0x40, 0] }
    path.bytes.withUnsafeBytes { addName($0, from: start) }
  }

  mutating func add(_ name: [UInt8], _ content: [UInt8]) {
    bytes += name
    add(UInt32(content.count))
    bytes += content
  }

  /// Returns the file, with a checksum unless it had none. Then no entry can be added any more.
  mutating func finish(hasNoChecksum: Bool) -> [UInt8] {
    withUnsafeBytes(of: count.bigEndian) { bytes.replaceSubrange(8..<12, with: $0) }
    bytes +=
      hasNoChecksum
      ? Array(repeating: 0, count: Insecure.SHA1.byteCount)
      : Array(Insecure.SHA1.hash(data: bytes))
    defer { bytes = [] }
    return bytes
  }

  private mutating func add(_ number: UInt32) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  private mutating func addName(_ path: UnsafeRawBufferPointer, from start: Int) {
    count += 1
    guard version == 4 else {
      bytes.append(contentsOf: path)
      bytes.append(contentsOf: repeatElement(0, count: 8 - (bytes.count - start) % 8))
      return
    }
    let shared = zip(last, path).prefix { $0 == $1 }.count
    addVarint(last.count - shared)
    bytes.append(contentsOf: path[shared...])
    bytes.append(0)
    last = Array(path)
  }

  /// Adds a number with seven bits in each byte, the highest first. Each continuation adds one, as
  /// in a pack's offsets (gitformat-pack(5)).
  private mutating func addVarint(_ number: Int) {
    var groups = [UInt8(number & 127)]
    var remaining = number >> 7
    while remaining > 0 {
      remaining -= 1
      groups.append(UInt8(remaining & 127) | 128)
      remaining >>= 7
    }
    bytes += groups.reversed()
  }
}
