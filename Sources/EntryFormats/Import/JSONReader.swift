import Localization

/// Reads JSON strictly after RFC 8259 and reports the position of errors.
///
/// Foundation's decoder reports no line and column, and accepts repeated keys.
struct JSONReader {
  let bytes: [UInt8]
  private(set) var offset: Int
  /// The number of the current entry, for errors.
  var position: Int?
  private var depth = 0
  /// An offset and its line, so that lines of a long file are not always counted from the start.
  private var lastCounted = (offset: 0, line: 1)
  /// The maximum depth. Deeper files only exist to make parsers fail.
  private static let maxDepth = 256

  /// Starts at the first value, after a byte order mark.
  init(_ bytes: [UInt8]) throws(ImportError) {
    self.bytes = bytes
    offset = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      throw error(localized("the file is UTF-16, not UTF-8"), at: 0)
    }
    if let broken = firstInvalidByte() {
      throw error(localized("the text is not UTF-8"), at: broken)
    }
    skipBlanks()
  }

  /// The next byte; `nil` at the end.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func value() throws(ImportError) -> JSONValue {
    guard depth < Self.maxDepth else {
      throw error(
        localized("lists and objects are nested more than \(Self.maxDepth) deep"), at: offset)
    }
    depth += 1
    defer { depth -= 1 }
    switch next {
    case UInt8(ascii: "{"): return .object(try object().map(\.member))
    case UInt8(ascii: "["):
      return .array(try array { (reader) throws(ImportError) in try reader.value() })
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")):
      return .number(try number())
    default: return try literal()
    }
  }

  /// Reads a list. `item` reads each of its items.
  mutating func array<Item>(
    _ item: (inout JSONReader) throws(ImportError) -> Item
  ) throws(ImportError) -> [Item] {
    let start = offset
    try expect("[", localized("a list, which begins with ["))
    var items: [Item] = []
    guard !accept("]") else { return items }
    while true {
      items.append(try item(&self))
      if accept("]") { return items }
      guard next != nil else {
        throw error(localized("the list that begins here has no end"), at: start)
      }
      try expect(",", localized("a comma or ] in the list"))
    }
  }

  /// Reads an object and returns its members with the offsets of their values.
  mutating func object() throws(ImportError) -> [LocatedMember] {
    var members: [LocatedMember] = []
    try forEachMember { (reader, key) throws(ImportError) in
      let offset = reader.offset
      let member = JSONMember(key: key, value: try reader.value())
      members.append(LocatedMember(member: member, offset: offset))
    }
    return members
  }

  /// Reads an object. `read` reads the value of each key.
  mutating func forEachMember(
    _ read: (inout JSONReader, String) throws(ImportError) -> Void
  ) throws(ImportError) {
    let start = offset
    try expect("{", localized("an object, which begins with {"))
    var keys: Set<[UInt8]> = []
    guard !accept("}") else { return }
    while true {
      let keyOffset = offset
      guard next == UInt8(ascii: "\"") else { throw unexpected(localized("a key in quotes")) }
      let key = try string()
      // Compare bytes: Swift's strings treat two spellings of one letter as equal, JSON does not.
      guard keys.insert(Array(key.utf8)).inserted else {
        throw error(
          localized("the key \(JSONValue.string(key).json) is given twice"), at: keyOffset)
      }
      try expect(":", localized("a colon after the key"))
      try read(&self, key)
      if accept("}") { return }
      guard next != nil else {
        throw error(localized("the object that begins here has no end"), at: start)
      }
      try expect(",", localized("a comma or } in the object"))
    }
  }

  struct LocatedMember {
    let member: JSONMember
    /// The start of the value.
    let offset: Int
  }

  /// Throws if there is more text.
  func end() throws(ImportError) {
    guard next == nil else { throw unexpected(localized("nothing after the end of the list")) }
  }

  private mutating func literal() throws(ImportError) -> JSONValue {
    for (text, value) in [("true", JSONValue.bool(true)), ("false", .bool(false)), ("null", .null)]
    where bytes[offset...].starts(with: text.utf8) {
      offset += text.utf8.count
      skipBlanks()
      return value
    }
    throw unexpected(localized("a value"))
  }

  private mutating func number() throws(ImportError) -> String {
    let start = offset
    if next == UInt8(ascii: "-") { offset += 1 }
    let isZero = next == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !isZero || whole == 1 else {
      throw error(localized("this is not a number"), at: start)
    }
    if next == UInt8(ascii: ".") {
      offset += 1
      guard digits() > 0 else { throw error(localized("this is not a number"), at: start) }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      offset += 1
      if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { offset += 1 }
      guard digits() > 0 else { throw error(localized("this is not a number"), at: start) }
    }
    defer { skipBlanks() }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func digits() -> Int {
    let start = offset
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
    return offset - start
  }
}

// MARK: - Position

extension JSONReader {
  mutating func skipBlanks() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
  }

  mutating func advance(by count: Int) { offset += count }

  private mutating func accept(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    skipBlanks()
    return true
  }

  private mutating func expect(_ character: Unicode.Scalar, _ what: String) throws(ImportError) {
    guard accept(character) else { throw unexpected(what) }
  }

  /// Returns an error with the expected text and the text that was found.
  func unexpected(_ what: String) -> ImportError {
    guard next != nil else {
      return error(localized("expected \(what), found the end of the file"), at: offset)
    }
    let remainder = String(decoding: bytes[offset...].prefix(32), as: UTF8.self)
    let found = JSONValue.string(String(remainder.prefix(1))).json
    return error(localized("expected \(what), found \(found)"), at: offset)
  }

  /// Returns the line of an offset, which must not be before the one in the last call.
  mutating func line(at byteOffset: Int) -> Int {
    lastCounted.line += (lastCounted.offset..<byteOffset).count { isLineEnd($0) }
    lastCounted.offset = byteOffset
    return lastCounted.line
  }

  /// Returns whether a byte ends a line, as in editors: LF, CR LF, or CR alone.
  private func isLineEnd(_ index: Int) -> Bool {
    if bytes[index] == 0x0A { return true }
    return bytes[index] == 0x0D && (index + 1 == bytes.count || bytes[index + 1] != 0x0A)
  }

  /// Returns an error with the line and column of a byte.
  func error(_ reason: String, at byteOffset: Int) -> ImportError {
    let ends = (0..<byteOffset).filter(isLineEnd)
    let line = ends.count + 1
    let start = ends.last.map { $0 + 1 } ?? (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
    let column = bytes[min(start, byteOffset)..<byteOffset].count { $0 & 0xC0 != 0x80 } + 1
    return ImportError(
      file: nil, line: line, column: column, position: position, reason: reason)
  }

  private func firstInvalidByte() -> Int? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var validLength = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      validLength += UTF8.width(scalar)
    }
    return min(validLength, bytes.count - 1)
  }
}
