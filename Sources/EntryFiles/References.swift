import DiaryCore

/// The files that an entry's text shows or links to and that may be saved with it: images, sounds,
/// videos and PDFs by name, inside the journal, not hidden. Each once, in order of appearance.
///
/// They are candidates: only the disk knows which of them exist. A name in `![[…]]` without a
/// folder is looked for beside the entry and at the journal's root, a name with `%` or `#` in it as
/// it is written and as a link reads it.
public func references(in body: String, of path: EntryPath) -> [EntryPath] {
  var found: [EntryPath] = []
  var seen: Set<EntryPath> = []
  func take(_ target: ArraySlice<UInt8>, from folder: EntryPath?) {
    for reading in readings(of: target) {
      guard let file = resolve(reading, from: folder), FileName.isMedia(file), !file.isHidden,
        seen.insert(file).inserted
      else { continue }
      found.append(file)
    }
  }
  for link in LinkScanner.links(in: Array(body.utf8)) {
    take(link.target, from: path.folder)
    if link.isWiki, !link.target.contains(UInt8(ascii: "/")) { take(link.target, from: nil) }
  }
  return found
}

/// What a link's target may mean as a file's name.
func readings(of target: ArraySlice<UInt8>) -> [[UInt8]] {
  let target = unescaped(target)[...]
  let ends =
    [target.endIndex, target.firstIndex(of: UInt8(ascii: "#")) ?? target.endIndex]
    + [target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex]
  var readings: [[UInt8]] = []
  for end in ends {
    for reading in [percentDecoded(target[..<end]), Array(target[..<end])]
    where !reading.isEmpty && !readings.contains(reading) {
      readings.append(reading)
    }
  }
  return readings
}

/// The file inside the journal that a relative reference leads to; one that begins with `/` counts
/// from the journal's root. `nil` for other places: addresses, and what lies outside.
func resolve(_ reference: [UInt8], from folder: EntryPath?) -> EntryPath? {
  let slash = UInt8(ascii: "/")
  guard !reference.starts(with: [slash, slash]), !hasScheme(reference) else { return nil }
  var names: [ArraySlice<UInt8>] = reference.first == slash ? [] : folder?.names ?? []
  for name in reference.split(separator: slash) where !name.elementsEqual(".".utf8) {
    if name.elementsEqual("..".utf8) {
      guard names.popLast() != nil else { return nil }
    } else {
      names.append(name)
    }
  }
  return EntryPath(bytes: names.joined(separator: [slash]))
}

/// `https:`, `mailto:` and so on, after RFC 3986; one letter alone is a drive, and no file either.
private func hasScheme(_ reference: [UInt8]) -> Bool {
  guard let colon = reference.firstIndex(of: UInt8(ascii: ":")), let first = reference.first,
    isLetter(first)
  else { return false }
  return reference[..<colon].allSatisfy {
    isLetter($0) || (0x30...0x39).contains($0) || "+.-".utf8.contains($0)
  }
}

/// A backslash before a sign says that the sign is meant as it is.
private func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var plain: [UInt8] = []
  var isEscaped = false
  for byte in text {
    if byte == UInt8(ascii: "\\"), !isEscaped {
      isEscaped = true
      continue
    }
    let isSign =
      (0x21...0x7E).contains(byte) && !isLetter(byte) && !(0x30...0x39).contains(byte)
    if isEscaped, !isSign { plain.append(UInt8(ascii: "\\")) }
    plain.append(byte)
    isEscaped = false
  }
  return plain
}

private func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

private func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var decoded: [UInt8] = []
  var at = text.startIndex
  while at < text.endIndex {
    if text[at] == UInt8(ascii: "%"), at + 2 < text.endIndex,
      let byte = UInt8(String(decoding: text[(at + 1)...(at + 2)], as: UTF8.self), radix: 16)
    {
      decoded.append(byte)
      at += 3
    } else {
      decoded.append(text[at])
      at += 1
    }
  }
  return decoded
}
