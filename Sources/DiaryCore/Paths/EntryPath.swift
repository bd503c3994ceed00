// DiaryCore: the model of an entry. Values and pure functions: no disk, git, network or clock. All
// other modules use these values. This module imports none of them.

import Glibc

/// A file's path inside the journal: names joined by `/`, as exact bytes on disk.
///
/// Linux file names are bytes, and Swift's `String` treats two encodings of `é` as equal. Paths are
/// therefore compared, hashed and sorted by their bytes.
package struct EntryPath: Hashable, Sendable {
  /// The bytes, never empty, and never with `/` at the start or end.
  package let bytes: [UInt8]

  /// Creates a path from bytes. Fails if it is empty, absolute or contains NUL, or if a name in it
  /// is empty, `.` or `..`.
  package init?(bytes: some Sequence<UInt8>) { self.init(bytes: Array(bytes)) }

  /// Creates a path without copying the bytes.
  package init?(bytes: [UInt8]) {
    guard EntryPath.isValid(bytes) else { return nil }
    self.bytes = bytes
  }

  /// Creates the path of `name` in `folder`; `nil` is the journal's own folder.
  package init?(_ name: [UInt8], in folder: EntryPath?) {
    guard let path = folder?.appending(name) ?? EntryPath(bytes: name) else { return nil }
    self = path
  }

  private init(valid bytes: [UInt8]) { self.bytes = bytes }

  /// Checks the bytes without an array of names, because a folder scan calls this for every file.
  private static func isValid(_ bytes: [UInt8]) -> Bool {
    if memchr(bytes, Int32(UInt8(ascii: "/")), bytes.count) == nil {
      let isDots = bytes.count <= 2 && bytes.allSatisfy { $0 == UInt8(ascii: ".") }
      return !isDots && memchr(bytes, 0, bytes.count) == nil
    }
    var (length, isDots) = (0, true)
    for byte in bytes {
      if byte == 0 { return false }
      if byte == UInt8(ascii: "/") {
        if length == 0 || (isDots && length <= 2) { return false }
        (length, isDots) = (0, true)
      } else {
        length += 1
        if byte != UInt8(ascii: ".") { isDots = false }
      }
    }
    return length > 2 || (length > 0 && !isDots)
  }

  /// Creates a path from text, with the same checks as ``init(bytes:)``.
  package init?(_ text: some StringProtocol) { self.init(bytes: text.utf8) }

  /// Hashes all bytes at once. One by one takes ten times as long, and a merge hashes thousands.
  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// The path as text, for display only: bytes that are not UTF-8 become U+FFFD.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// True if the bytes are valid UTF-8, so that ``text`` is exact.
  package var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }

  /// The names from the journal's root to the file.
  package var names: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

  /// The last name, for display only.
  package var name: String { String(decoding: nameBytes, as: UTF8.self) }

  package var nameBytes: ArraySlice<UInt8> {
    bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
  }

  /// The index of the dot before the last name's extension; the end of the bytes if there is none.
  var extensionStart: Int {
    let name = nameBytes
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    return dot > name.startIndex ? dot : name.endIndex
  }

  /// The last name without its extension.
  package var stem: String { String(decoding: nameBytes[..<extensionStart], as: UTF8.self) }

  /// The last name's extension in lower case, without the dot. Empty if there is none.
  package var fileExtension: String {
    String(decoding: bytes[extensionStart...].dropFirst(), as: UTF8.self).lowercased()
  }

  /// The folder that contains it. `nil` at the journal's root.
  package var folder: EntryPath? {
    bytes.lastIndex(of: UInt8(ascii: "/")).flatMap { EntryPath(bytes: bytes[..<$0]) }
  }

  /// True if any name in the path starts with a dot.
  package var isHidden: Bool { names.contains { $0.first == UInt8(ascii: ".") } }

  /// True if the name is one of an entry: `*.md` or `*.markdown`, in any case.
  package var isMarkdown: Bool { fileExtension == "md" || fileExtension == "markdown" }

  /// The path of `name` inside this folder.
  package func appending(_ name: some Sequence<UInt8>) -> EntryPath? { appending(Array(name)) }

  /// An overload for folder scans: generic code called from other modules is several times slower.
  package func appending(_ name: [UInt8]) -> EntryPath? {
    guard EntryPath.isValid(name) else { return nil }
    var joined: [UInt8] = []
    joined.reserveCapacity(bytes.count + 1 + name.count)
    joined.append(contentsOf: bytes)
    joined.append(UInt8(ascii: "/"))
    joined.append(contentsOf: name)
    return EntryPath(valid: joined)
  }

  /// The path of `name` in the same folder.
  package func sibling(_ name: some Sequence<UInt8>) -> EntryPath? {
    EntryPath(Array(name), in: folder)
  }

  /// True if the path is inside `folder`, at any depth.
  package func isInside(_ folder: EntryPath) -> Bool {
    bytes.count > folder.bytes.count + 1 && bytes.starts(with: folder.bytes)
      && bytes[folder.bytes.count] == UInt8(ascii: "/")
  }
}

extension EntryPath: Comparable {
  /// Compares bytes, as git sorts blobs.
  package static func < (left: EntryPath, right: EntryPath) -> Bool {
    let order = memcmp(left.bytes, right.bytes, min(left.bytes.count, right.bytes.count))
    return order == 0 ? left.bytes.count < right.bytes.count : order < 0
  }
}

extension EntryPath: CustomStringConvertible {
  package var description: String { text }
}
