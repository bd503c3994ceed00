import DiaryCore

/// The tree ids of an index's folders, which git stores so that it writes only changed trees. Each
/// record has a folder's name, the number of its entries (-1: unknown), the number of its
/// subfolders, and its tree id ("Cache tree", gitformat-index(5)).
struct CacheTreeExtension {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The id of the root's tree; `nil` if it is unknown.
  var rootID: ObjectID? {
    var remaining = bytes
    guard let name = remaining.removePrefix(upTo: 0), name.isEmpty,
      let entries = remaining.removePrefix(upTo: UInt8(ascii: " ")), (Int(entries) ?? -1) >= 0,
      remaining.removePrefix(upTo: UInt8(ascii: "\n")) != nil, remaining.count >= 20
    else { return nil }
    return ObjectID(twenty: remaining.prefix(20))
  }

  /// Returns the extension with the folders of these paths marked as unknown, or `nil` if it cannot
  /// be read, which only costs git some time.
  func updatedBytes(invalidating paths: [EntryPath]) -> [UInt8]? {
    var changed: Set<[UInt8]> = [[]]
    for path in paths {
      var folder = path.folder
      while let next = folder, changed.insert(next.bytes).inserted { folder = next.folder }
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var remaining = bytes
    // The open folders, with the number of subfolders that remain in each.
    var open: [(path: [UInt8], left: Int)] = []
    repeat {
      guard let name = remaining.removePrefix(upTo: 0),
        let entries = remaining.removePrefix(upTo: UInt8(ascii: " ")),
        let folders = remaining.removePrefix(upTo: UInt8(ascii: "\n")), let number = Int(entries),
        let count = Int(folders), count >= 0
      else { return nil }
      let outer = open.last?.path ?? []
      let path = outer.isEmpty ? Array(name) : outer + [UInt8(ascii: "/")] + name
      guard path.count <= 4096, name.isEmpty == open.isEmpty else { return nil }
      let id = remaining.prefix(number < 0 ? 0 : 20)
      guard id.count == (number < 0 ? 0 : 20) else { return nil }
      remaining = remaining.dropFirst(id.count)
      let isKnown = number >= 0 && !changed.contains(path)
      result += name
      result.append(0)
      result += isKnown ? Array(entries) : Array("-1".utf8)
      result.append(UInt8(ascii: " "))
      result += folders
      result.append(UInt8(ascii: "\n"))
      if isKnown { result += id }
      if !open.isEmpty { open[open.count - 1].left -= 1 }
      open.append((path, count))
      while let last = open.last, last.left == 0 { open.removeLast() }
    } while !open.isEmpty
    return remaining.isEmpty ? result : nil
  }
}

extension ArraySlice<UInt8> {
  /// Removes and returns the bytes before `mark`, and removes the mark; `nil` if there is none.
  fileprivate mutating func removePrefix(upTo mark: UInt8) -> ArraySlice<UInt8>? {
    guard let end = firstIndex(of: mark) else { return nil }
    defer { self = self[(end + 1)...] }
    return self[..<end]
  }
}

extension Int {
  fileprivate init?(_ digits: ArraySlice<UInt8>) {
    self.init(String(decoding: digits, as: UTF8.self))
  }
}
