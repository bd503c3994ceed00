import DiaryCore

extension EntryText {
  /// The text of the entry at `path` with every relative link to `old` changed to `new`; `nil` if
  /// there is none. No other byte changes: brackets in code and behind a backslash are no links.
  package func rewritingLinks(
    in path: EntryPath, from old: EntryPath, to new: EntryPath
  ) -> EntryText? {
    replacingTargets { $0.rewrittenTarget(in: path, from: old, to: new) }
  }

  /// The text of an entry that moves from `old` to `new`, with every relative link of it changed to
  /// lead to the same file; `nil` if there is none. Links to files that do not exist stay.
  package func rewritingOwnLinks(
    from old: EntryPath, to new: EntryPath, where exists: (EntryPath) -> Bool
  ) -> EntryText? {
    guard old.folder != new.folder else { return nil }
    return replacingTargets { link in
      guard !link.isWiki, link.target.first != UInt8(ascii: "/") else { return nil }
      let paths = possiblePaths(of: link.target).compactMap { resolve($0, from: old.folder) }
      guard let path = paths.first(where: { $0 == old || exists($0) }) else { return nil }
      return link.target(to: path == old ? new : path, in: new)
        + link.suffix(behind: path, from: old.folder)
    }
  }

  private func replacingTargets(
    _ replacement: (LinkScanner.Link) -> [UInt8]?
  ) -> EntryText? {
    guard encoding == .utf8, !isDamaged else { return nil }
    let start = bodyRange.lowerBound
    let body = Array(bodyBytes)
    var rewritten: [UInt8] = []
    var offset = 0
    for link in LinkScanner.shownLinks(in: body) where link.target.startIndex >= offset {
      guard let target = replacement(link) else { continue }
      rewritten += body[offset..<link.target.startIndex]
      rewritten += target
      offset = link.target.endIndex
    }
    guard offset > 0 else { return nil }
    return EntryText(bytes[..<start] + rewritten + body[offset...])
  }
}

extension LinkScanner.Link {
  /// The new target in the style of the old one; `nil` if the link does not lead to `old`.
  fileprivate func rewrittenTarget(in path: EntryPath, from old: EntryPath, to new: EntryPath)
    -> [UInt8]?
  {
    if isWiki {
      let hash = target.firstIndex(of: UInt8(ascii: "#")) ?? target.endIndex
      return rewrittenWikiTarget(target[..<hash], from: old, to: new).map { $0 + target[hash...] }
    }
    let isRooted = target.first == UInt8(ascii: "/")
    let folder = isRooted ? nil : path.folder
    let pointsToOld = possiblePaths(of: target).contains { resolve($0, from: folder) == old }
    return pointsToOld
      ? self.target(to: new, in: path) + suffix(behind: old, from: folder) : nil
  }

  /// The part of the target behind the path that leads from `folder` to `path`, such as `#part` or
  /// `?width=300`. A file name may contain both characters.
  fileprivate func suffix(behind path: EntryPath, from folder: EntryPath?) -> ArraySlice<UInt8> {
    let cuts = "#?".utf8.compactMap { target.firstIndex(of: $0) }
    let end = ([target.endIndex] + cuts).first { end in
      let part = unescaped(target[..<end])
      return [percentDecoded(part[...]), part].contains { resolve($0, from: folder) == path }
    }
    return target[(end ?? target.endIndex)...]
  }

  /// A target in the entry at `path` that leads to `new`, in the style of this one, without its
  /// suffix.
  fileprivate func target(to new: EntryPath, in path: EntryPath) -> [UInt8] {
    let isRooted = target.first == UInt8(ascii: "/")
    let isEncoded = target.contains(UInt8(ascii: "%"))
    let isDotted = target.starts(with: "./".utf8)
    let newTarget =
      isRooted ? [UInt8(ascii: "/")] + new.bytes : relativePath(to: new, from: path.folder)
    let needsEncoding = isEncoded || newTarget.contains { $0 == 0x20 || $0 == 0x28 || $0 == 0x29 }
    return (isDotted ? Array("./".utf8) : [])
      + (needsEncoding ? encodedLinkTarget(newTarget) : newTarget)
  }

  /// Handles `[[name]]` and `[[folder/name]]`, with or without the extension.
  private func rewrittenWikiTarget(
    _ name: ArraySlice<UInt8>, from old: EntryPath, to new: EntryPath
  ) -> [UInt8]? {
    func bare(_ path: EntryPath) -> ArraySlice<UInt8> {
      path.bytes.dropLast(path.fileExtension.utf8.count + 1)
    }
    func last(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
      bytes[(bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? bytes.startIndex)...]
    }
    if name.elementsEqual(old.bytes) { return new.bytes }
    if name.elementsEqual(bare(old)) { return Array(bare(new)) }
    if name.elementsEqual(old.nameBytes) { return Array(new.nameBytes) }
    if name.elementsEqual(last(bare(old))) { return Array(last(bare(new))) }
    return nil
  }
}

/// The relative path from a folder to a file: `../2026/11/name.md`.
package func relativePath(to path: EntryPath, from folder: EntryPath?) -> [UInt8] {
  var here = (folder?.names ?? [])[...]
  var there = path.names[...]
  while let left = here.first, let right = there.first, left.elementsEqual(right),
    there.count > 1
  {
    here.removeFirst()
    there.removeFirst()
  }
  let names = here.map { _ in Array("..".utf8)[...] } + there
  return Array(names.joined(separator: [UInt8(ascii: "/")]))
}

/// A path percent-encoded for a link target; non-ASCII characters stay readable.
func encodedLinkTarget(_ path: [UInt8]) -> [UInt8] {
  percentEncoded(path) { byte in
    byte >= 0x80 || byte.isDigit || byte.isLetter || "/-._".utf8.contains(byte)
  }
}
