// DiaryCore: what an entry is. Values and pure rules: no disk, git, network or clock.
// Every other room speaks in these values; none of them is imported here.

import Glibc

/// A file's place inside the journal: names joined by `/`, as the very bytes that the disk holds.
///
/// Names on Linux are bytes, and Swift's `String` calls two different spellings of `é` equal; a path
/// is therefore compared, hashed and ordered by its bytes.
package struct EntryPath: Hashable, Sendable {
  /// The bytes, never empty, never beginning or ending with `/`.
  package let bytes: [UInt8]

  /// A path from bytes; `nil` when it is empty, absolute, holds NUL, or a name in it is empty,
  /// `.` or `..`.
  package init?(bytes: some Sequence<UInt8>) { self.init(bytes: Array(bytes)) }

  /// The same without a copy.
  package init?(bytes: [UInt8]) {
    guard EntryPath.isValid(bytes) else { return nil }
    self.bytes = bytes
  }

  private init(valid bytes: [UInt8]) { self.bytes = bytes }

  /// Without a list of the names: a walk asks for every file, by its name alone.
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

  /// A path from text, by the same rule as ``init(bytes:)``.
  package init?(_ text: some StringProtocol) { self.init(bytes: text.utf8) }

  /// All bytes at once: one by one they take ten times as long, and a merge asks for thousands.
  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }

  /// The path as text; bytes that are not UTF-8 are shown as U+FFFD, so it is for eyes only.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether the bytes are valid UTF-8, so that ``text`` says all of them.
  package var isText: Bool { String(validating: bytes, as: UTF8.self) != nil }

  /// The names from the journal's folder down.
  package var names: [ArraySlice<UInt8>] { bytes.split(separator: UInt8(ascii: "/")) }

  /// The last name, for eyes.
  package var name: String { String(decoding: nameBytes, as: UTF8.self) }

  /// The last name's bytes.
  package var nameBytes: ArraySlice<UInt8> {
    bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...]
  }

  /// The last name without its extension.
  package var stem: String {
    let name = nameBytes
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
      return self.name
    }
    return String(decoding: name[..<dot], as: UTF8.self)
  }

  /// The last name's extension in lower case, without the dot; empty when there is none.
  package var fileExtension: String {
    let name = nameBytes
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return "" }
    return String(decoding: name[(dot + 1)...], as: UTF8.self).lowercased()
  }

  /// The folder that holds it; `nil` at the journal's root.
  package var folder: EntryPath? {
    bytes.lastIndex(of: UInt8(ascii: "/")).flatMap { EntryPath(bytes: bytes[..<$0]) }
  }

  /// Whether any name on the path begins with a dot.
  package var isHidden: Bool { names.contains { $0.first == UInt8(ascii: ".") } }

  /// Whether the file has the name of an entry: `*.md` or `*.markdown`, in any case.
  package var isMarkdown: Bool { fileExtension == "md" || fileExtension == "markdown" }

  /// The path of `name` inside this folder.
  package func appending(_ name: some Sequence<UInt8>) -> EntryPath? { appending(Array(name)) }

  /// The same of a name as a walk has it: in other rooms generic code is several times as slow.
  package func appending(_ name: [UInt8]) -> EntryPath? {
    guard EntryPath.isValid(name) else { return nil }
    var joined: [UInt8] = []
    joined.reserveCapacity(bytes.count + 1 + name.count)
    joined.append(contentsOf: bytes)
    joined.append(UInt8(ascii: "/"))
    joined.append(contentsOf: name)
    return EntryPath(valid: joined)
  }

  /// Whether it lies inside `folder`, at any depth.
  package func isInside(_ folder: EntryPath) -> Bool {
    bytes.count > folder.bytes.count + 1 && bytes.starts(with: folder.bytes)
      && bytes[folder.bytes.count] == UInt8(ascii: "/")
  }
}

extension EntryPath: Comparable {
  /// By bytes, as git orders blobs.
  package static func < (left: EntryPath, right: EntryPath) -> Bool {
    let order = memcmp(left.bytes, right.bytes, min(left.bytes.count, right.bytes.count))
    return order == 0 ? left.bytes.count < right.bytes.count : order < 0
  }
}

extension EntryPath: CustomStringConvertible {
  /// The same as ``text``.
  package var description: String { text }
}
