import DiaryCore

/// The names of the trees that the folders of an index make, as git keeps them to write only what
/// changed: a folder's name, how many entries it stands for (-1: not known any more), how many
/// folders in it follow, and its tree ("Cache tree", gitformat-index(5)).
struct CacheTreeExtension {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// The same with the folders that hold these paths not known any more; `nil` when it cannot be
  /// read, which costs git some time and nothing else.
  func updatedBytes(invalidating paths: [EntryPath]) -> [UInt8]? {
    var changed: Set<[UInt8]> = [[]]
    for path in paths {
      var folder = path.folder
      while let next = folder, changed.insert(next.bytes).inserted { folder = next.folder }
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var remaining = bytes
    // The folders that are open, with how many in each are still to come.
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
  /// Takes what comes before `mark`, and the mark, away; `nil` when there is none.
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
