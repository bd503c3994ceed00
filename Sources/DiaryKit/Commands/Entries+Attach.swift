import DiaryCore
import EntryFiles
import Foundation
import Localization

extension Entries {
  /// The name and content of a file to attach. The caller reads all files before it copies the
  /// first, so that a wrong name leaves nothing behind.
  func attachment(_ file: String) throws -> (name: String, bytes: [UInt8]) {
    do {
      let bytes = try journal.environment.contents(of: file)
      return ((journal.environment.absolutePath(of: file) as NSString).lastPathComponent, bytes)
    } catch {
      throw DiaryError(
        error.message,
        hint: localized("no entry was created; --attach needs a file that you can read")
      )
    }
  }

  /// The Markdown link to a file in the same folder; a picture is embedded.
  static func link(to name: String) -> String {
    let target =
      name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    let stem = (name as NSString).deletingPathExtension
    let isPicture = ["jpg", "jpeg", "png", "gif", "webp", "heic", "avif", "svg"].contains(
      (name as NSString).pathExtension.lowercased())
    return (isPicture ? "!" : "") + "[\(stem)](\(target))"
  }
}

extension LockedJournal {
  /// Copies a file beside an entry under a free name. Returns the copy's path.
  func attach(_ bytes: [UInt8], named name: String, beside path: EntryPath) throws -> EntryPath {
    try attach(named: name, beside: path) { try journal.folder.createIfFree($0, bytes) }
  }

  /// Attaches a file that `create` writes unless its name is taken.
  func attach(
    named name: String, beside path: EntryPath, _ create: (EntryPath) throws -> Bool
  ) throws -> EntryPath {
    let target = try path.sibling(name.utf8)?.firstFreePath {
      try !journal.folder.hasFile($0) && create($0)
    }
    guard let target else {
      throw DiaryError(localized("cannot find a free file name for the attachment \(name)"))
    }
    return target
  }
}
