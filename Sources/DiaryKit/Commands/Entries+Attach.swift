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
    var path = String(decoding: relativePath(to: file, from: entry.folder), as: UTF8.self)
    // A colon in the first name would make it the scheme of an address.
    if path.prefix(while: { $0 != "/" }).contains(":"), path.contains("/") { path = "./" + path }
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "()"))
    let target = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    let stem = (name as NSString).deletingPathExtension
    let isPicture = ["jpg", "jpeg", "png", "gif", "webp", "heic", "avif", "svg"].contains(
      (name as NSString).pathExtension.lowercased())
    return (isPicture ? "!" : "") + "[\(stem)](\(target))"
  }

  /// The path of a file that is attached to an entry: beside it or, in a vault of Obsidian, where
  /// its settings put attachments. `nil` if the name cannot be a path.
  func attachmentPath(_ name: String, of entry: EntryPath) -> EntryPath? {
    let beside = entry.sibling(name.utf8)
    guard journal.settings.isVault,
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
    func place(_ wanted: EntryPath?) throws -> EntryPath? {
      try wanted?.firstFreePath { try !journal.folder.hasFile($0) && create($0) }
    }
    let (wanted, beside) = (journal.entries.attachmentPath(name, of: path), path.sibling(name.utf8))
    var target: EntryPath?
    do { target = try place(wanted) } catch let error as FileError {
      // The vault's folder may be a link, or a file.
      guard wanted != beside else { throw error }
      target = try place(beside)
    }
    guard let target else {
      throw DiaryError(localized("cannot find a free file name for the attachment \(name)"))
    }
    return target
  }
}
