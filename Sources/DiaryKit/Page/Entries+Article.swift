import DiaryCore
import EntryFiles
import EntryFormats

extension Entries {
  /// An entry as an HTML article for the web page, with players for sound and videos. Its ids begin
  /// with `e-`, so they are none of the page's own.
  ///
  /// - Parameters:
  ///   - fields: the text for editing. With it, each block carries its lines in the body's field.
  ///   - address: the address of a file, or of an entry.
  package func htmlArticle(
    of entry: EntrySummary, _ text: EntryText, _ locale: ShareLocale,
    editedAs fields: EditableText? = nil, address: (_ path: EntryPath, _ isEntry: Bool) -> String
  ) -> String {
    let shared = exportEntry(entry, text, locale, showing: LinkedFileLookup(journal))
    let kinds = PathClassifier(journal)
    func file(_ link: String) -> EntryPath? {
      PictureEmbedder.path(link, from: entry.path).flatMap {
        journal.folder.hasFile($0) ? $0 : nil
      }
    }
    return withoutActuallyEscaping(address) { address in
      let target = { (link: String) in
        file(link).map { address($0, kinds.kind(of: $0) == .entry) }
      }
      var context = HTMLArticleContext { link in
        file(link).map { mediaKind($0)?.isPicture ?? isPictureName($0.text) } == true
          ? target(link) : nil
      }
      context.fileAddress = target
      context.hasLazyPictures = true
      context.player = { link in file(link).flatMap(player) }
      context.shownLines = fields.map { fields in
        let lines = journal.settings.isVault ? linesWithComments(of: text.body) : { $0 }
        return { range in
          let range = lines(range)
          let offset = fields.lineOffset
          return (range.lowerBound - offset)...(range.upperBound - offset)
        }
      }
      return EntryFormats.htmlArticle(of: shared, prefix: "e-", in: context)
    }
  }

  private func mediaKind(_ path: EntryPath) -> MediaKind? {
    guard let file = try? journal.page.file(at: path),
      let start = try? file.read(at: 0, count: MediaKind.signatureLength)
    else { return nil }
    return MediaKind(start)
  }

  private func player(_ path: EntryPath) -> HTMLPlayer? {
    guard let kind = mediaKind(path) else { return nil }
    if kind.type.hasPrefix("audio/") { return .audio }
    return kind.type.hasPrefix("video/") ? .video : nil
  }
}

/// Returns the lines of a body for lines of the same body without the comments of Obsidian.
private func linesWithComments(
  of body: String
) -> (ClosedRange<Int>) -> ClosedRange<Int> {
  let bytes = Array(body.utf8)
  let comments = vaultComments(in: bytes[...])
  // The first line in the body of each line without comments.
  var (starts, line) = ([1], 1)
  for (offset, byte) in bytes.enumerated() {
    let isPair = byte == 0x0D && offset + 1 < bytes.count && bytes[offset + 1] == 0x0A
    guard byte == 0x0A || byte == 0x0D, !isPair else { continue }
    line += 1
    if !comments.cover(offset) { starts.append(line) }
  }
  return { [starts, line] range in
    let first = starts[min(range.lowerBound, starts.count) - 1]
    let next = range.upperBound < starts.count ? starts[range.upperBound] : line + 1
    return first...max(first, next - 1)
  }
}
