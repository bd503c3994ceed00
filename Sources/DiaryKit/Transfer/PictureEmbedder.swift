import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// The largest picture that is embedded in a page, and the limit for all of them, in bytes.
private let maxPictureSize = 24 << 20
private let maxTotalSize = 96 << 20

/// The embedded pictures of a page. They are read only from the journal, never through a link.
struct PictureEmbedder {
  let folder: JournalFolder
  private(set) var notices: [String] = []
  private var totalSize = 0
  private var cache: [EntryPath: EmbeddedPicture] = [:]

  init(folder: JournalFolder) { self.folder = folder }

  mutating func picture(of entry: EntryPath, _ link: String) -> EmbeddedPicture? {
    guard let path = PictureEmbedder.path(link, from: entry) else {
      return skip(link, localized("is not a file of the journal"))
    }
    if let picture = cache[path] { return picture }
    let file: FileContents?
    do { file = try folder.read(path, limit: maxPictureSize) } catch {
      return skip(link, localized("cannot be read: \(error)"))
    }
    guard let file else { return skip(link, localized("does not exist")) }
    let picture = EmbeddedPicture(file.bytes)
    guard picture.mediaType != nil else { return skip(link, localized("is not a picture")) }
    guard totalSize + file.bytes.count <= maxTotalSize else {
      return skip(link, localized("would make the page too large"))
    }
    totalSize += file.bytes.count
    cache[path] = picture
    return picture
  }

  private mutating func skip(_ link: String, _ reason: String) -> EmbeddedPicture? {
    notices.append(localized("skipped the picture \(link): it \(reason)"))
    return nil
  }

  /// Returns a link's file: relative to the entry's folder, or to the root after a leading slash.
  static func path(_ link: String, from entry: EntryPath) -> EntryPath? {
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
