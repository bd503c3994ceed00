import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The entries and files that an export takes out of the journal, and what it has to tell about them.
final class ExportSource {
  let journal: Journal
  let locale: ReaderLocale
  /// Whether files that entries show go along.
  let takesAttachments: Bool
  /// What was left out, and why, in the order of the entries.
  private(set) var notes: [String] = []
  /// The files that went along.
  private(set) var attachments: Set<EntryPath> = []
  private let media: MediaFiles
  private var album: PictureEmbedder
  private var noted: Set<String> = []

  init(_ journal: Journal, _ locale: ReaderLocale, takesAttachments: Bool) {
    self.journal = journal
    self.locale = locale
    self.takesAttachments = takesAttachments
    media = MediaFiles(journal)
    album = PictureEmbedder(folder: journal.folder)
  }

  /// Remembers a sentence for the end, each once.
  func note(_ text: String) { if noted.insert(text).inserted { notes.append(text) } }

  /// An entry with all that belongs to it.
  func whole(_ entry: EntrySummary) throws -> WholeEntry {
    let text = try journal.text(of: entry.path)
    return WholeEntry(
      entry, text: text, parted: text.parted(at: entry.path, settings: journal.settings),
      attachments: try files(of: text, entry.path))
  }

  /// An entry in words for its reader, and the files that go along; pictures in `![[…]]` are written as
  /// Markdown has them.
  func shown(_ entry: EntrySummary) throws -> (entry: ExportEntry, files: [ExportAttachment]) {
    let text = try journal.text(of: entry.path)
    let files = takesAttachments ? try files(of: text, entry.path) : []
    return (shared(entry, text), files)
  }

  /// The same of a text that has been read, without its files.
  func shared(_ entry: EntrySummary, _ text: EntryText) -> ExportEntry {
    journal.shared(entry, text, locale.shareWords, showing: media)
  }

  /// The picture of a link, for a page that has all of its pictures in it.
  func picture(of entry: EntryPath, _ link: String) -> EmbeddedPicture? {
    guard takesAttachments else { return nil }
    let known = album.notes.count
    let picture = album.picture(of: entry, link)
    album.notes[known...].forEach(note)
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
        note(localized("\(path.text): the file \(name.text) does not exist"))
      }
      for file in files where !found.contains(where: { $0.path == file }) {
        do {
          guard let opened = try journal.folder.opened(file) else { continue }
          let head = EmbeddedPicture(try opened.read(at: 0, count: 1024))
          found.append(
            ExportAttachment(path: file, size: opened.size, mediaType: head.mediaType))
        } catch {
          note(localized("\(path.text): the file \(file.text) cannot be read: \(error.reason)"))
        }
      }
    }
    if takesAttachments { attachments.formUnion(found.map(\.path)) }
    return found
  }

  /// A file's bytes, part by part, none larger than a multiple of three that fits into a megabyte: Base64
  /// can be made of each by itself. Fails where the file has become shorter than `size` meanwhile.
  func read(
    _ file: ExportAttachment, _ take: ([UInt8]) throws -> Void
  ) throws {
    guard let opened = try journal.folder.opened(file.path) else {
      throw DiaryError(localized("\(file.path.text) is gone"), kind: .nothingFound)
    }
    var at = 0
    while at < file.size {
      try Task.checkCancellation()
      let part = try opened.read(at: at, count: min(file.size - at, 3 << 18))
      guard !part.isEmpty else {
        throw DiaryError(
          localized("\(file.path.text) changed while it was read"), hint: localized("try again"))
      }
      try take(part)
      at += part.count
    }
  }
}
