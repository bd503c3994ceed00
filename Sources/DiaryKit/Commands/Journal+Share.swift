import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The forms in which an entry is handed on.
package enum ShareFormat: String, CaseIterable, Sendable {
  /// Clean Markdown.
  case md
  /// One page with everything in it.
  case html
  /// Plain text.
  case text
  /// The public form with the body.
  case json

  /// The format that a file's name asks for.
  package init?(fileName: String) {
    switch (fileName as NSString).pathExtension.lowercased() {
    case "md", "markdown": self = .md
    case "html", "htm", "xhtml": self = .html
    case "txt", "text": self = .text
    case "json": self = .json
    default: return nil
    }
  }

  /// Whether a file's name asks for a format, or leaves it open.
  package static func isKnown(fileName: String) -> Bool {
    (fileName as NSString).pathExtension.isEmpty || ShareFormat(fileName: fileName) != nil
  }

  /// What a clipboard calls it.
  var mediaType: String { self == .html ? "text/html" : "text/plain;charset=utf-8" }
}

/// How dates are said to whoever reads the copy.
package struct ShareLocale: Sendable {
  /// An entry's day and time; `nil` for an undated one.
  package var date: @Sendable (EntrySummary) -> String?
  /// The BCP 47 tag of that language.
  package var language: String?

  /// The words of a language.
  package init(language: String?, date: @escaping @Sendable (EntrySummary) -> String?) {
    self.language = language
    self.date = date
  }
}

/// A copy of some entries, ready to be handed on.
package struct ExportedDocument: Sendable {
  /// The document.
  package var bytes: [UInt8]
  /// Its form.
  package var format: ShareFormat
  /// The only entry's title, else the first and the last.
  package var title: String
  /// Pictures that are not in it, and why: to be told once.
  package var notes: [String]
}

/// The largest picture that is put into a page, and all of them together.
private let largestPicture = 24 << 20
private let allPictures = 96 << 20

extension Journal {
  /// The entries that several REFs name, each as one word, or as the words of one REF together.
  package func resolveAll(_ words: [String]) async throws -> [EntrySummary] {
    if words.count > 1, words.contains(where: { isWords($0) }) {
      let all = words.joined(separator: " ")
      do { return [try await resolve(all, .unique)] } catch let error as DiaryError {
        guard error.kind == .nothingFound else { throw error }
      }
    }
    var entries: [EntrySummary] = []
    for word in words { entries.append(try await resolve(word, .unique)) }
    return entries
  }

  /// A self-contained copy of the entries, the oldest first, each once.
  package func share(
    _ entries: [EntrySummary], as format: ShareFormat, _ words: ShareLocale
  ) throws -> ExportedDocument {
    var seen: Set<EntryPath> = []
    // Numbers count from the newest.
    let ordered = entries.filter { seen.insert($0.path).inserted }
      .sorted { $0.number > $1.number }
    var shared = try ordered.map { self.shared($0, try text(of: $0.path), words) }
    let titles = ordered.map(\.title)
    let title =
      titles.count > 1 ? "\(titles[0]) – \(titles[titles.count - 1])" : titles.first ?? ""
    var album = PictureEmbedder(folder: folder)
    if format == .html {
      let media = MediaFiles(self)
      for index in shared.indices {
        let path = shared[index].listed.path
        shared[index].body = withMarkdownPictures(shared[index].body, of: path) {
          media.files(of: $0).first
        }
      }
    }
    let bytes: [UInt8] =
      switch format {
      case .md: Array(cleanMarkdown(of: shared).utf8)
      case .text: Array(plainText(of: shared).utf8)
      case .json: try entriesJSON(shared)
      case .html:
        Array(
          htmlPage(of: shared, language: words.language) { entry, link in
            album.picture(of: entry.listed.path, link)
          }.utf8)
      }
    return ExportedDocument(bytes: bytes, format: format, title: title, notes: album.notes)
  }

  /// An entry set for a terminal; `text` may be an earlier version of it.
  package func terminalLines(
    of entry: EntrySummary, _ text: EntryText, _ words: ShareLocale, width: Int, isStyled: Bool
  ) -> [String] {
    EntryFormats.terminalLines(
      of: shared(entry, text, words), width: width, isStyled: isStyled)
  }

  private func shared(
    _ entry: EntrySummary, _ text: EntryText, _ words: ShareLocale
  ) -> ExportEntry {
    let weather = entry.weather.flatMap { $0.declines ? nil : $0 }
    return ExportEntry(
      entry, dateText: words.date(entry), weatherText: weather?.shown(in: settings.units),
      isNight: entry.isNight, body: text.body)
  }
}

/// The pictures that a page asks for, read from the journal alone and never through a link.
private struct PictureEmbedder {
  let folder: JournalFolder
  private(set) var notes: [String] = []
  private var size = 0
  private var known: [EntryPath: EmbeddedPicture] = [:]

  init(folder: JournalFolder) { self.folder = folder }

  mutating func picture(of entry: EntryPath, _ link: String) -> EmbeddedPicture? {
    guard let path = PictureEmbedder.path(link, from: entry) else {
      return missing(link, localized("is not a file of the journal"))
    }
    if let picture = known[path] { return picture }
    let file: FileContents?
    do { file = try folder.read(path, limit: largestPicture) } catch {
      return missing(link, localized("cannot be read: \(error)"))
    }
    guard let file else { return missing(link, localized("does not exist")) }
    let picture = EmbeddedPicture(file.bytes)
    guard picture.mediaType != nil else { return missing(link, localized("is not a picture")) }
    guard size + file.bytes.count <= allPictures else {
      return missing(link, localized("would make the page too large"))
    }
    size += file.bytes.count
    known[path] = picture
    return picture
  }

  private mutating func missing(_ link: String, _ reason: String) -> EmbeddedPicture? {
    notes.append(localized("skipped the picture \(link): it \(reason)"))
    return nil
  }

  /// A link's file: beside the entry, or, with a slash before it, from the journal's root.
  private static func path(_ link: String, from entry: EntryPath) -> EntryPath? {
    let target = link.prefix { $0 != "?" && $0 != "#" }
    guard let decoded = String(target).removingPercentEncoding else { return nil }
    var names: [ArraySlice<UInt8>] = []
    if !decoded.hasPrefix("/") { names = entry.folder?.names ?? [] }
    for name in Array(decoded.utf8).split(separator: UInt8(ascii: "/")) {
      if name.elementsEqual(".".utf8) { continue }
      if name.elementsEqual("..".utf8) {
        guard names.popLast() != nil else { return nil }
      } else {
        names.append(name)
      }
    }
    let path = EntryPath(bytes: Array(names.joined(separator: [UInt8(ascii: "/")])))
    return path.flatMap { $0.isHidden ? nil : $0 }
  }
}
