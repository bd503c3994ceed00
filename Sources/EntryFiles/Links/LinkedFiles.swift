import DiaryCore

/// A file that an entry's text shows or links to, as far as the text alone can tell.
package struct FileReference: Sendable, Hashable {
  /// Where it may be: beside the entry or, for a bare name in `[[…]]`, at the journal's root; a name
  /// with `%` or `#` in it as it is written and as a link reads it.
  package var candidates: [EntryPath]
  /// Written as `[[…]]`, whose target may be anywhere: the end of its path, as it is written.
  package var pathEnd: EntryPath?
  /// Whether the text shows it, as a picture, and does not only link to it.
  package var isShown: Bool
}

/// The files that an entry's text shows or links to and that may be saved with it: images, sounds,
/// videos and PDFs by name, inside the journal, not hidden; in order of appearance.
package func fileReferences(in body: String, of path: EntryPath) -> [FileReference] {
  var found: [FileReference] = []
  var seen: Set<FileReference> = []
  for link in LinkScanner.links(in: Array(body.utf8)) {
    let isBare = link.isWiki && !link.target.contains(UInt8(ascii: "/"))
    var candidates: [EntryPath] = []
    for folder in isBare ? [path.folder, nil] : [path.folder] {
      candidates += possiblePaths(of: link.target).compactMap { resolve($0, from: folder) }
    }
    candidates.removeAll { !FileName.isMedia($0) || $0.isHidden }
    var each: Set<EntryPath> = []
    candidates.removeAll { !each.insert($0).inserted }
    guard !candidates.isEmpty else { continue }
    let written = possiblePaths(of: link.target).compactMap { EntryPath(bytes: $0) }
    let reference = FileReference(
      candidates: candidates, pathEnd: link.isWiki ? written.first(where: FileName.isMedia) : nil,
      isShown: link.isShown)
    if seen.insert(reference).inserted { found.append(reference) }
  }
  return found
}

/// The candidates of all references, each once: only the disk knows which of them exist.
package func candidatePaths(in body: String, of path: EntryPath) -> [EntryPath] {
  var seen: Set<EntryPath> = []
  return fileReferences(in: body, of: path).flatMap(\.candidates).filter {
    seen.insert($0).inserted
  }
}

/// The text with each picture that is shown as `![[name]]` written as Markdown has it, for the readers
/// that know no wiki links; `file` finds it.
package func textWithMarkdownImages(
  _ body: String, of path: EntryPath, file: (FileReference) -> EntryPath?
) -> String {
  let text = Array(body.utf8)
  var written: [UInt8] = []
  var offset = 0
  for link in LinkScanner.links(in: text) where link.isWiki && link.isShown {
    let start = link.target.startIndex
    guard let end = text[start...].firstRange(of: "]]".utf8)?.lowerBound,
      let open = text[..<start].lastIndex(of: UInt8(ascii: "!")), open >= offset,
      let reference = fileReferences(
        in: "![[" + String(decoding: link.target, as: UTF8.self) + "]]", of: path
      ).first, let found = file(reference)
    else { continue }
    let shown = text[link.target.endIndex..<end].drop { $0 != UInt8(ascii: "|") }.dropFirst()
    let isSize = shown.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "x") }
    written += text[offset..<open] + Array("![".utf8) + (isSize ? found.nameBytes : shown)
    written += Array("](</".utf8) + encodedLinkTarget(found.bytes) + Array(">)".utf8)
    offset = end + 2
  }
  return String(decoding: written + text[offset...], as: UTF8.self)
}

/// What a link's target may mean as a file's name.
func possiblePaths(of target: ArraySlice<UInt8>) -> [[UInt8]] {
  let target = unescaped(target)[...]
  let ends =
    [target.endIndex, target.firstIndex(of: UInt8(ascii: "#")) ?? target.endIndex]
    + [target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex]
  var paths: [[UInt8]] = []
  for end in ends {
    for reading in [percentDecoded(target[..<end]), Array(target[..<end])]
    where !reading.isEmpty && !paths.contains(reading) {
      paths.append(reading)
    }
  }
  return paths
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
    first.isLetter
  else { return false }
  return reference[..<colon].allSatisfy {
    $0.isLetter || $0.isDigit || "+.-".utf8.contains($0)
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
    let isPunctuation =
      (0x21...0x7E).contains(byte) && !byte.isLetter && !byte.isDigit
    if isEscaped, !isPunctuation { plain.append(UInt8(ascii: "\\")) }
    plain.append(byte)
    isEscaped = false
  }
  return plain
}

private func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var decoded: [UInt8] = []
  var offset = text.startIndex
  while offset < text.endIndex {
    if text[offset] == UInt8(ascii: "%"), offset + 2 < text.endIndex,
      let byte = UInt8(
        String(decoding: text[(offset + 1)...(offset + 2)], as: UTF8.self), radix: 16)
    {
      decoded.append(byte)
      offset += 3
    } else {
      decoded.append(text[offset])
      offset += 1
    }
  }
  return decoded
}
