import Crypto

/// A parser of index files that checks every length.
struct IndexReader {
  private let bytes: [UInt8]
  private(set) var version: UInt32 = 2
  private(set) var items: [GitIndex.EntryOffsets] = []
  private(set) var extensions: [GitIndex.Extension] = []
  private(set) var hasNoChecksum = false
  private(set) var hasConflicts = false
  /// The full paths of a version 4 index, one after the other.
  private(set) var pathBytes: [UInt8] = []
  private var offset = 12
  /// Checked last: a split index has entries without names, and its extension gives the reason.
  private var isSorted = true
  /// Linux's limit. One byte of the file could otherwise stand for any number of bytes of path.
  private static let maxPathLength = 4096
  /// The offset of the checksum.
  private let end: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    end = bytes.count - Insecure.SHA1.byteCount
  }

  mutating func readAll() throws(GitIndex.Unreadable) {
    guard end >= 12, bytes.starts(with: "DIRC".utf8) else { throw damaged("it is no index") }
    version = bytes.bigEndianUInt32(at: 4)
    guard (2...4).contains(version) else {
      throw damaged("it is of version \(version), which Diary cannot read")
    }
    try checkSum()
    try readItems(Int(bytes.bigEndianUInt32(at: 8)))
    while offset < end { try readExtension() }
    guard isSorted else { throw damaged("its paths are out of order") }
  }

  /// git 2.40 and later omit the checksum on request, and write zeros.
  private mutating func checkSum() throws(GitIndex.Unreadable) {
    let sum = bytes[end...]
    hasNoChecksum = sum.allSatisfy { $0 == 0 }
    guard hasNoChecksum || sum.elementsEqual(Insecure.SHA1.hash(data: bytes[..<end])) else {
      throw damaged("its checksum is wrong")
    }
  }

  private mutating func readItems(_ count: Int) throws(GitIndex.Unreadable) {
    guard count <= (end - offset) / 62 else { throw damaged("it is cut off") }
    items.reserveCapacity(count)
    var last: GitIndex.EntryOffsets?
    for _ in 0..<count {
      let item = try readItem(after: last)
      if item.path.isEmpty || last.map({ !isBefore($0, item) }) ?? false { isSorted = false }
      hasConflicts = hasConflicts || bytes[item.start + 60] & 0x30 != 0
      items.append(item)
      last = item
    }
  }

  private mutating func readItem(
    after last: GitIndex.EntryOffsets?
  ) throws(GitIndex.Unreadable) -> GitIndex.EntryOffsets {
    let start = offset
    guard start + 64 <= end else { throw damaged("it is cut off") }
    let fixed = bytes[start + 60] & 0x40 == 0 ? 62 : 64
    if fixed == 64, bytes[start + 62] & 0x9F != 0 || bytes[start + 63] != 0 {
      throw damaged("an entry has flags that Diary does not know")
    }
    if version == 4 {
      let path = try readSharedName(start + fixed, last)
      return GitIndex.EntryOffsets(start: start, path: path, fixedLength: fixed)
    }
    let storedLength = Int(bytes[start + 60] & 0x0F) << 8 | Int(bytes[start + 61])
    let path =
      try storedLength < 0xFFF
      ? start + fixed..<start + fixed + storedLength : readName(start + fixed)
    guard path.upperBound < end, bytes[path.upperBound] == 0 else {
      throw damaged("a path in it has no end")
    }
    // One to eight NULs, so that the next entry starts at a multiple of eight bytes from here.
    offset = start + (path.upperBound - start + 8) / 8 * 8
    guard offset <= end else { throw damaged("it is cut off") }
    return GitIndex.EntryOffsets(start: start, path: path, fixedLength: fixed)
  }

  private func readName(_ start: Int) throws(GitIndex.Unreadable) -> Range<Int> {
    guard start < end, let stop = bytes[start..<end].firstIndex(of: 0) else {
      throw damaged("a path in it has no end")
    }
    return start..<stop
  }

  /// Reads the number of bytes to drop from the end of the previous path, and the suffix to add.
  private mutating func readSharedName(
    _ start: Int, _ last: GitIndex.EntryOffsets?
  ) throws(GitIndex.Unreadable) -> Range<Int> {
    offset = start
    var byte = try nextByte()
    var dropped = Int(byte & 127)
    while byte & 128 != 0 {
      guard dropped < 1 << 24 else { throw damaged("a path in it is out of bounds") }
      byte = try nextByte()
      dropped = (dropped + 1) << 7 + Int(byte & 127)
    }
    let suffix = try readName(offset)
    let before = last?.path ?? 0..<0
    guard dropped <= before.count, before.count - dropped + suffix.count <= Self.maxPathLength
    else {
      throw damaged("a path in it is out of bounds")
    }
    let pathStart = pathBytes.count
    pathBytes += Array(pathBytes[before.lowerBound..<before.upperBound - dropped]) + bytes[suffix]
    offset = suffix.upperBound + 1
    return pathStart..<pathBytes.count
  }

  private mutating func nextByte() throws(GitIndex.Unreadable) -> UInt8 {
    guard offset < end else { throw damaged("it is cut off") }
    defer { offset += 1 }
    return bytes[offset]
  }

  private func isBefore(_ one: GitIndex.EntryOffsets, _ other: GitIndex.EntryOffsets) -> Bool {
    let difference = (version == 4 ? pathBytes : bytes).withUnsafeBytes { names in
      pathOrder(
        UnsafeRawBufferPointer(rebasing: names[one.path]),
        UnsafeRawBufferPointer(rebasing: names[other.path]))
    }
    let isLater = bytes[one.start + 60] & 0x30 < bytes[other.start + 60] & 0x30
    return difference < 0 || (difference == 0 && isLater)
  }

  private mutating func readExtension() throws(GitIndex.Unreadable) {
    guard offset + 8 <= end else { throw damaged("it is cut off") }
    let name = Array(bytes[offset..<offset + 4])
    let content = offset + 8..<offset + 8 + Int(bytes.bigEndianUInt32(at: offset + 4))
    guard content.upperBound <= end else { throw damaged("it is cut off") }
    // An extension with a small first letter is mandatory: without it the index is not understood.
    guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(name[0]) else {
      switch String(decoding: name, as: UTF8.self) {
      case "link": throw GitIndex.Unreadable(reason: "core.splitIndex")
      case "sdir": throw GitIndex.Unreadable(reason: "index.sparse")
      default: throw damaged("it holds something that Diary does not know")
      }
    }
    extensions.append(GitIndex.Extension(name: name, content: content))
    offset = content.upperBound
  }

  private func damaged(_ reason: String) -> GitIndex.Unreadable {
    GitIndex.Unreadable(reason: reason)
  }
}

extension [UInt8] {
  /// Reads four bytes, big endian, as git writes numbers.
  func bigEndianUInt32(at offset: Int) -> UInt32 {
    withUnsafeBytes {
      UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
  }
}
