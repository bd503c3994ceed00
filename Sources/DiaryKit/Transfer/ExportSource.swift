import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The entries and files that an export reads from the journal, with messages about them.
final class ExportSource {
  let journal: Journal
  let locale: UserLocale
  /// True if the files that entries show are included.
  let shouldIncludeAttachments: Bool
  /// The reasons for skipped files and entries, in the order of the entries.
  private(set) var notices: [String] = []
  /// The included files.
  private(set) var attachments: Set<EntryPath> = []
  private let media: LinkedFileLookup
  private var pictureEmbedder: PictureEmbedder
  private var knownNotices: Set<String> = []

  init(_ journal: Journal, _ locale: UserLocale, shouldIncludeAttachments: Bool) {
    self.journal = journal
    self.locale = locale
    self.shouldIncludeAttachments = shouldIncludeAttachments
    media = LinkedFileLookup(journal)
    pictureEmbedder = PictureEmbedder(folder: journal.folder)
  }

  /// Adds a message for the end of the export, unless it was already added.
  func addNotice(_ text: String) { if knownNotices.insert(text).inserted { notices.append(text) } }

  /// Returns an entry with its header, body and attachments.
  func wholeEntry(_ entry: EntrySummary) throws -> WholeEntry {
    let text = try journal.catalog.text(of: entry.path)
    return WholeEntry(
      entry, text: text, splitBody: text.splitBody(at: entry.path, settings: journal.settings),
      attachments: try files(of: text.body, entry.path))
  }

  /// Returns an entry in the form that readers see, and its files. Pictures in `![[…]]` are
  /// converted to Markdown.
  func exportEntryWithFiles(_ entry: EntrySummary) throws -> (
    entry: ExportEntry, files: [ExportAttachment]
  ) {
    let text = try journal.catalog.text(of: entry.path)
    let exported = exportEntry(entry, text)
    // Files that only a comment shows are left out.
    let body = journal.settings.isVault ? withoutVaultComments(text.body) : text.body
    return (exported, shouldIncludeAttachments ? try files(of: body, entry.path) : [])
  }

  /// Returns the entry of a text that is already read, without its files.
  func exportEntry(_ entry: EntrySummary, _ text: EntryText) -> ExportEntry {
    journal.entries.exportEntry(entry, text, locale.shareLocale, showing: media)
  }

  /// Returns the picture of a link, for a page that embeds its pictures.
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

  /// Returns the existing regular files of the journal that a text shows or links to.
  private func files(of body: String, _ path: EntryPath) throws -> [ExportAttachment] {
    var found: [ExportAttachment] = []
    for reference in fileReferences(in: body, of: path) {
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

  /// Reads a file in parts of 768 KiB, a multiple of three, so that each can be encoded in Base64
  /// by itself. Throws if the file has become shorter than `size`.
  func read(
    _ file: ExportAttachment, _ receive: ([UInt8]) throws -> Void
  ) throws {
    guard let opened = try journal.folder.openFile(file.path) else {
      throw DiaryError.missingFile(file.path)
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
