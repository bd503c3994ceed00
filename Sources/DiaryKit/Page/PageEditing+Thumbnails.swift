import DiaryCore
import EntryFiles
import Foundation
import Glibc

/// A picture that an entry shows, as a row of the list refers to it.
package struct RowPicture: Sendable {
  /// The path of the picture.
  package let path: EntryPath
  /// The tag of the file; see ``JournalFile/tag``.
  package let version: String
  /// True if a thumbnail of this version is stored.
  package let hasThumbnail: Bool
}

extension PageEditing {
  /// The limits of a thumbnail, and of all thumbnails together, in bytes.
  package static let (maxThumbnailBytes, maxThumbnailsBytes) = (12_000, 32 << 20)

  private var thumbnailFolder: String { journal.stateFolder + "/cache/thumbnails" }

  /// The first picture that an entry shows; see ``pictures(of:limit:)``.
  package func firstPicture(of entry: EntryPath) -> RowPicture? {
    pictures(of: entry, limit: 1).first
  }

  /// The pictures of the journal that an entry shows, in their order, each once. A picture that only
  /// its name leads to, in any folder, is not looked for.
  package func pictures(of entry: EntryPath, limit: Int = .max) -> [RowPicture] {
    guard let text = (try? journal.folder.read(entry)) ?? nil else { return [] }
    var found: [RowPicture] = []
    EntryText(text.bytes).readBody { part in
      guard found.count < limit, part.utf8.contains(UInt8(ascii: "!")) || part.contains("<img")
      else { return }
      for reference in fileReferences(in: part, of: entry)
      where reference.isShown && found.count < limit {
        guard let picture = reference.candidates.lazy.compactMap(picture).first,
          !found.contains(where: { $0.path == picture.path })
        else { continue }
        found.append(picture)
      }
    }
    return found
  }

  private func picture(at path: EntryPath) -> RowPicture? {
    guard let file = try? file(at: path), file.isPicture else { return nil }
    let isStored = access(thumbnailPath(file), R_OK) == 0
    return RowPicture(path: path, version: file.tag, hasThumbnail: isStored)
  }

  /// A version of a file has one thumbnail, also after the file was renamed.
  private func thumbnailPath(_ picture: JournalFile) -> String {
    "\(thumbnailFolder)/\(picture.tag).jpg"
  }

  /// The stored thumbnail of a picture.
  package func thumbnail(of picture: JournalFile) -> [UInt8]? {
    FileManager.default.contents(atPath: thumbnailPath(picture)).map { Array($0) }
  }

  /// Stores the thumbnail of a picture, and removes the oldest ones above the limit.
  package func storeThumbnail(_ bytes: [UInt8], of picture: JournalFile) throws(DiaryError) {
    try journal.makeStateFolder()
    journal.makeCacheFolder()
    mkdir(thumbnailFolder, 0o700)
    do {
      try Data(bytes).write(to: URL(filePath: thumbnailPath(picture)), options: .atomic)
    } catch {
      throw DiaryError(error)
    }
    removeOldThumbnails()
  }

  private func removeOldThumbnails() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: thumbnailFolder)) ?? []
    let files = names.compactMap { name -> (path: String, size: Int, time: Int)? in
      var status = stat()
      let path = thumbnailFolder + "/" + name
      guard stat(path, &status) == 0 else { return nil }
      return (path, Int(status.st_size), status.st_mtim.tv_sec)
    }
    var size = files.reduce(0) { $0 + $1.size }
    guard size > Self.maxThumbnailsBytes else { return }
    for file in files.sorted(by: { ($0.time, $0.path) < ($1.time, $1.path) })
    where size > Self.maxThumbnailsBytes {
      unlink(file.path)
      size -= file.size
    }
  }
}

extension JournalFile {
  /// True if the content is an image.
  package var isPicture: Bool {
    guard let start = try? read(at: 0, count: MediaKind.signatureLength) else { return false }
    return MediaKind(start)?.type.hasPrefix("image/") == true
  }
}
