import DiaryCore

/// A file that an entry's text embeds or links to, derived from the text alone.
package struct FileReference: Sendable, Hashable {
  /// The possible paths: in the entry's folder or, for a bare name in `[[…]]`, at the journal's
  /// root. A name with `%` or `#` is tried as written and decoded.
  package var candidates: [EntryPath]
  /// The end of the path, as written: the target of `[[…]]`, and of any link in a vault, may be in
  /// any folder.
  package var pathEnd: EntryPath?
  /// True for `[[…]]`.
  package var isWiki: Bool
  /// True if the text embeds the file, as an image, and does not only link to it.
  package var isShown: Bool
}

/// The files that an entry's text embeds or links to and that may be saved with it: images, audio,
/// video and PDFs by name, inside the journal, not hidden; in order of appearance.
package func fileReferences(in body: String, of path: EntryPath) -> [FileReference] {
  var found: [FileReference] = []
  var seen: Set<FileReference> = []
  for link in LinkScanner.links(in: Array(body.utf8)) {
    guard let reference = FileReference(link, in: path, where: FileName.isMedia),
      seen.insert(reference).inserted
    else { continue }
    found.append(reference)
  }
  return found
}

/// A link that Markdown shows, to a file that may be part of the journal.
package struct FileLink: Sendable {
  /// The file.
  package var reference: FileReference
  /// The target as written.
  package var target: String
  /// The line of the body, 0 for the first.
  package var line: Int
}

/// The links of a body to pictures, sounds, films, PDFs and Markdown files. A `[[link]]` to a note
/// is not among them: its note may be yet to be written.
package func fileLinks(in body: ArraySlice<UInt8>, of path: EntryPath) -> [FileLink] {
  let text = Array(body)
  var (line, counted) = (0, 0)
  return LinkScanner.shownLinks(in: text, strictly: true).compactMap { link in
    guard link.target.first.map({ !"#?".utf8.contains($0) }) == true,
      let reference = FileReference(
        link, in: path,
        where: { FileName.isMedia($0) || !link.isWiki && $0.isMarkdown })
    else { return nil }
    // The links come in the order of the text.
    line += text[counted..<link.target.startIndex].count { $0 == UInt8(ascii: "\n") }
    counted = link.target.startIndex
    return FileLink(
      reference: reference, target: String(decoding: link.target, as: UTF8.self), line: line)
  }
}

extension FileReference {
  /// `nil` if the link leads to no file that may be part of the journal and `isWanted`.
  fileprivate init?(
    _ link: LinkScanner.Link, in path: EntryPath, where isWanted: (EntryPath) -> Bool
  ) {
    let isBare = link.isWiki && !link.target.contains(UInt8(ascii: "/"))
    candidates = []
    for folder in isBare ? [path.folder, nil] : [path.folder] {
      candidates += possiblePaths(of: link.target).compactMap { resolve($0, from: folder) }
    }
    candidates.removeAll { !isWanted($0) || $0.isHidden }
    var each: Set<EntryPath> = []
    candidates.removeAll { !each.insert($0).inserted }
    guard !candidates.isEmpty else { return nil }
    let written = possiblePaths(of: link.target).compactMap { EntryPath(bytes: $0) }
    pathEnd = written.first(where: isWanted)
    isWiki = link.isWiki
    isShown = link.isShown
  }
}

/// The text with each image `![[name]]`, and each link `[[name]]` to a note, rewritten in Markdown,
/// for programs without wiki links. `file` and `note` resolve them; what they do not find stays.
package func textWithMarkdownLinks(
  _ body: String, of path: EntryPath, file: (FileReference) -> EntryPath?,
  note: (EntryPath) -> EntryPath?
) -> String {
  let text = Array(body.utf8)
  var written: [UInt8] = []
  var offset = 0
  for link in LinkScanner.shownLinks(in: text) where link.isWiki {
    let start = link.target.startIndex
    guard let end = text[start...].firstRange(of: "]]".utf8)?.lowerBound else { continue }
    guard link.isShown else {
      let name = link.target.prefix { $0 != UInt8(ascii: "#") }
      guard let open = text[..<start].lastIndex(of: UInt8(ascii: "[")), open > offset,
        let target = EntryPath(bytes: name + (name.hasMarkdownEnd ? [] : Array(".md".utf8))),
        let found = note(target)
      else { continue }
      let words = text[start..<end].drop { $0 != UInt8(ascii: "|") }.dropFirst()
      // A bracket would end the link's text.
      guard !words.contains(where: { "[]".utf8.contains($0) }) else { continue }
      written += text[offset..<(open - 1)] + [UInt8(ascii: "[")]
      written += words.isEmpty ? link.target : words
      written += Array("](</".utf8) + encodedLinkTarget(found.bytes) + Array(">)".utf8)
      offset = end + 2
      continue
    }
    guard
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

extension ArraySlice<UInt8> {
  fileprivate var hasMarkdownEnd: Bool { suffix(3).elementsEqual(".md".utf8) }
}

/// The possible file paths of a link's target.
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

/// The path in the journal to which a relative reference leads; a leading `/` means the journal's
/// root. `nil` for URLs and paths outside the journal.
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

/// True for `https:`, `mailto:` and so on, by RFC 3986; also for a drive letter, which is no file.
private func hasScheme(_ reference: [UInt8]) -> Bool {
  guard let colon = reference.firstIndex(of: UInt8(ascii: ":")), let first = reference.first,
    first.isLetter
  else { return false }
  return reference[..<colon].allSatisfy {
    $0.isLetter || $0.isDigit || "+.-".utf8.contains($0)
  }
}

/// The text without the backslashes that escape punctuation.
func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
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

func percentDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
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
