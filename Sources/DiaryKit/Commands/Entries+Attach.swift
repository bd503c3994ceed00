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

  /// The Markdown link of an entry to a file; a picture is embedded.
  static func link(to file: EntryPath, in entry: EntryPath) -> String {
    let name = file.name
    let path = String(decoding: relativePath(to: file, from: entry.folder), as: UTF8.self)
    let target =
      path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    let stem = (name as NSString).deletingPathExtension
    let isPicture = ["jpg", "jpeg", "png", "gif", "webp", "heic", "avif", "svg"].contains(
      (name as NSString).pathExtension.lowercased())
    return (isPicture ? "!" : "") + "[\(stem)](\(target))"
  }

  /// The path of a file that is attached to an entry: beside it or, in a vault of Obsidian, where
  /// its settings put attachments. `nil` if the name cannot be a path.
  func attachmentPath(_ name: String, of entry: EntryPath) -> EntryPath? {
    let beside = entry.sibling(name.utf8)
    guard journal.isVault,
      let setting = FolderDetection.json(".obsidian/app.json", journal.folder)?[
        "attachmentFolderPath"] as? String
    else { return beside }
    // `./` is the entry's folder, and `./name` a folder in it; anything else is below the vault.
    let isBeside = setting.hasPrefix("./") || setting == "."
    let parts = isBeside ? (entry.folder.map { [$0.text] } ?? []) : []
    let folder = setting.split(separator: "/").filter { $0 != "." }.map(String.init)
    let path = EntryPath((parts + folder + [name]).joined(separator: "/"))
    return path.flatMap { $0.isHidden ? nil : $0 } ?? beside
  }
}

extension LockedJournal {
  /// Copies a file to the place of an entry's attachments, under a free name. Returns the copy's
  /// path.
  func attach(_ bytes: [UInt8], named name: String, to path: EntryPath) throws -> EntryPath {
    try attach(named: name, to: path) { try journal.folder.createIfFree($0, bytes) }
  }

  /// Attaches a file that `create` writes unless its name is taken.
  func attach(
    named name: String, to path: EntryPath, _ create: (EntryPath) throws -> Bool
  ) throws -> EntryPath {
    let target = try journal.entries.attachmentPath(name, of: path)?.firstFreePath {
      try !journal.folder.hasFile($0) && create($0)
    }
    guard let target else {
      throw DiaryError(localized("cannot find a free file name for the attachment \(name)"))
    }
    return target
  }
}
