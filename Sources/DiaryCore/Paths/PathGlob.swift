/// A pattern for paths inside the journal, with the rules of `.gitignore`. `*` and `?` match within
/// a name, `**` any number of names, `[a-z]` and `[!a-z]` one character, and `\` escapes. Without a
/// `/` it matches at any depth, else from the journal's root. A pattern that matches a folder
/// includes everything inside.
package struct PathGlob: Hashable, Sendable {
  /// The pattern as written.
  package let text: String
  /// The parts. `nil` means `**`.
  private let names: [NameGlob?]

  /// Creates a pattern. Fails if it is empty or contains only slashes.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let slash = UInt8(ascii: "/")
    let parts = bytes.split(separator: slash)
    guard !parts.isEmpty else { return nil }
    self.text = text
    let isAnchored = bytes.dropLast().contains(slash)
    var names: [NameGlob?] = isAnchored ? [] : [nil]
    for part in parts {
      let isDeep = part.elementsEqual("**".utf8)
      // Two `**` in a row mean the same as one.
      if !isDeep || names.isEmpty || names.last != .some(nil) {
        names.append(isDeep ? nil : NameGlob(part))
      }
    }
    self.names = names
  }

  /// True if the pattern matches the path or one of its parent folders.
  package func matches(_ path: EntryPath) -> Bool {
    if names.count == 1, names[0] == nil { return true }
    let path = path.names
    var pattern = 0
    var name = 0
    var retry: (pattern: Int, name: Int)?
    while true {
      if pattern == names.count {
        // The whole pattern matches the first names: the path itself, or a parent folder.
        return true
      }
      if names[pattern] == nil {
        pattern += 1
        // A final `**` needs at least one name inside the folder before it.
        if pattern == names.count { return name < path.count }
        retry = (pattern, name)
      } else if name < path.count, names[pattern]?.matches(path[name]) == true {
        pattern += 1
        name += 1
      } else if let last = retry, last.name < path.count {
        pattern = last.pattern
        name = last.name + 1
        retry = (pattern, name)
      } else {
        return false
      }
    }
  }
}

/// A pattern for one name, compared as bytes. The worst-case time is the product of both lengths.
struct NameGlob: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case byte(UInt8)
    case anyCharacter
    case anySequence
    case oneOf([ClosedRange<UInt32>], isNegated: Bool)
  }

  private let parts: [Part]

  init(_ pattern: some Sequence<UInt8>) {
    let bytes = Array(pattern)
    var parts: [Part] = []
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "*"):
        if parts.last != .anySequence { parts.append(.anySequence) }
      case UInt8(ascii: "?"): parts.append(.anyCharacter)
      case UInt8(ascii: "\\") where position + 1 < bytes.count:
        position += 1
        parts.append(.byte(bytes[position]))
      case UInt8(ascii: "["):
        if let (set, end) = NameGlob.set(bytes, from: position + 1) {
          parts.append(set)
          position = end
        } else {
          parts.append(.byte(bytes[position]))
        }
      default: parts.append(.byte(bytes[position]))
      }
      position += 1
    }
    self.parts = parts
  }

  func matches(_ name: ArraySlice<UInt8>) -> Bool {
    var part = 0
    var position = name.startIndex
    var retry: (part: Int, at: Int)?
    while position < name.endIndex || part < parts.count {
      if part < parts.count, case .anySequence = parts[part] {
        part += 1
        retry = (part, position)
      } else if part < parts.count, let width = width(of: parts[part], in: name, at: position) {
        part += 1
        position += width
      } else if let last = retry, last.at < name.endIndex {
        part = last.part
        position = last.at + 1
        retry = (part, position)
      } else {
        return false
      }
    }
    return true
  }

  /// The number of bytes that the part matches at this position. `nil` if it does not match.
  private func width(of part: Part, in name: ArraySlice<UInt8>, at: Int) -> Int? {
    guard at < name.endIndex else { return nil }
    switch part {
    case .byte(let byte): return name[at] == byte ? 1 : nil
    case .anySequence: return nil
    case .anyCharacter: return character(name, at).width
    case .oneOf(let ranges, let isNegated):
      let (value, width) = character(name, at)
      return ranges.contains { $0.contains(value) } != isNegated ? width : nil
    }
  }

  /// Parses the ranges between brackets. Returns them with the position of the closing bracket.
  private static func set(_ bytes: [UInt8], from start: Int) -> (Part, Int)? {
    var at = start
    let isNegated = at < bytes.count && "!^".utf8.contains(bytes[at])
    if isNegated { at += 1 }
    let first = at
    var ranges: [ClosedRange<UInt32>] = []
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "]"), at > first {
        return (.oneOf(ranges, isNegated: isNegated), at)
      }
      if bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count { at += 1 }
      let (low, width) = character(bytes[...], at)
      at += width
      if at + 1 < bytes.count, bytes[at] == UInt8(ascii: "-"), bytes[at + 1] != UInt8(ascii: "]") {
        let (high, width) = character(bytes[...], at + 1)
        at += 1 + width
        if low <= high { ranges.append(low...high) }
      } else {
        ranges.append(low...low)
      }
    }
    return nil
  }
}

/// The UTF-8 character at an index and its width. An invalid byte gets a value above all
/// characters.
private func character(_ bytes: ArraySlice<UInt8>, _ at: Int) -> (value: UInt32, width: Int) {
  if bytes[at] < 0x80 { return (UInt32(bytes[at]), 1) }
  var decoder = UTF8()
  var iterator = bytes[at...].prefix(4).makeIterator()
  guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
    return (0x11_0000 + UInt32(bytes[at]), 1)
  }
  return (scalar.value, UTF8.width(scalar))
}
