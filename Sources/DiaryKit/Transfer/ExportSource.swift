import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The entries and files that an export takes out of the journal, and what it has to tell about them.
final class ExportSource {
  let journal: Journal
  let locale: UserLocale
  /// Whether files that entries show go along.
  let shouldIncludeAttachments: Bool
  /// What was left out, and why, in the order of the entries.
  private(set) var notices: [String] = []
  /// The files that went along.
  private(set) var attachments: Set<EntryPath> = []
  private let media: MediaFiles
  private var pictureEmbedder: PictureEmbedder
  private var knownNotices: Set<String> = []

  init(_ journal: Journal, _ locale: UserLocale, shouldIncludeAttachments: Bool) {
    self.journal = journal
    self.locale = locale
    self.shouldIncludeAttachments = shouldIncludeAttachments
    media = MediaFiles(journal)
    pictureEmbedder = PictureEmbedder(folder: journal.folder)
  }

  /// Remembers a sentence for the end, each once.
  func addNotice(_ text: String) { if knownNotices.insert(text).inserted { notices.append(text) } }

  /// An entry with all that belongs to it.
  func wholeEntry(_ entry: EntrySummary) throws -> WholeEntry {
    let text = try journal.text(of: entry.path)
    return WholeEntry(
      entry, text: text, splitBody: text.splitBody(at: entry.path, settings: journal.settings),
      attachments: try files(of: text, entry.path))
  }

  /// An entry in words for its reader, and the files that go along; pictures in `![[…]]` are written as
  /// Markdown has them.
  func exportEntryWithFiles(_ entry: EntrySummary) throws -> (
    entry: ExportEntry, files: [ExportAttachment]
  ) {
    let text = try journal.text(of: entry.path)
    let files = shouldIncludeAttachments ? try files(of: text, entry.path) : []
    return (exportEntry(entry, text), files)
  }

  /// The same of a text that has been read, without its files.
  func exportEntry(_ entry: EntrySummary, _ text: EntryText) -> ExportEntry {
    journal.exportEntry(entry, text, locale.shareLocale, showing: media)
  }

  /// The picture of a link, for a page that has all of its pictures in it.
  func picture(of entry: EntryPath, _ link: String) -> EmbeddedPicture? {
    guard shouldIncludeAttachments else { return nil }
    let known = pictureEmbedder.notices.count
    let picture = pictureEmbedder.picture(of: entry, link)
    pictureEmbedder.notices[known...].forEach(addNotice)
    if picture != nil, let path = PictureEmbedder.path(link, from: entry) {
      attachments.insert(path)
    }
    return picture
  }

  /// The files that a text shows or links to: those that are there, inside the journal, and no links.
  private func files(of text: EntryText, _ path: EntryPath) throws -> [ExportAttachment] {
    var found: [ExportAttachment] = []
    for reference in fileReferences(in: text.body, of: path) {
      let files = media.files(of: reference)
      if files.isEmpty, reference.isShown, let name = reference.candidates.first {
        addNotice(localized("\(path.text): the file \(name.text) does not exist"))
      }
      for file in files where !found.contains(where: { $0.path == file }) {
        do {
          guard let opened = try journal.folder.openFile(file) else { continue }
          let head = EmbeddedPicture(try opened.read(at: 0, count: 1024))
          found.append(
            ExportAttachment(path: file, size: opened.size, mediaType: head.mediaType))
        } catch {
          addNotice(
            localized("\(path.text): the file \(file.text) cannot be read: \(error.reason)"))
        }
      }
    }
    if shouldIncludeAttachments { attachments.formUnion(found.map(\.path)) }
    return found
  }

  /// A file's bytes, part by part, none larger than a multiple of three that fits into a megabyte: Base64
  /// can be made of each by itself. Fails where the file has become shorter than `size` meanwhile.
  func read(
    _ file: ExportAttachment, _ receive: ([UInt8]) throws -> Void
  ) throws {
    guard let opened = try journal.folder.openFile(file.path) else {
      throw DiaryError(localized("\(file.path.text) is gone"), kind: .nothingFound)
    }
    var offset = 0
    while offset < file.size {
      try Task.checkCancellation()
      let part = try opened.read(at: offset, count: min(file.size - offset, 3 << 18))
      guard !part.isEmpty else {
        throw DiaryError(
          localized("\(file.path.text) changed while it was read"), hint: localized("try again"))
      }
      try receive(part)
      offset += part.count
    }
  }
}
