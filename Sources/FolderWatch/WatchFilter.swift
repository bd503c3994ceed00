import DiaryCore

/// The names that are watched, and the names of the files that editors make while they are open.
enum WatchFilter {
  static let repository = Array(".git".utf8)
  /// The names in a folder whose content is not the journal's: another repository, or encrypted files.
  static let foreignMarks = [repository, Array("gocryptfs.diriv".utf8)]

  /// True if the folder `name` in `parent` (`nil`: the journal's own) is watched. Hidden folders
  /// are not, except for the journal's `.diary`.
  static func isWatched(folder name: some Collection<UInt8>, in parent: EntryPath?) -> Bool {
    guard name.first == UInt8(ascii: ".") else { return true }
    return parent == nil && name.elementsEqual(".diary".utf8)
  }

  /// True if an editor creates a file of that name while it has another one open: Vim's and nano's
  /// swap files, the locks of Emacs and LibreOffice, Kate's swap file.
  static func isEditorFile(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    if name.ends(with: ".kate-swp") { return true }
    guard name.first == UInt8(ascii: ".") else { return false }
    if name.starts(with: ".#".utf8) { return name.count > 2 }
    if name.starts(with: ".~lock.".utf8) { return name.last == UInt8(ascii: "#") }
    if name.ends(with: ".swpx") { return name.count > 6 }
    let last = UInt8(ascii: "a")...UInt8(ascii: "z")
    guard name.count > 5, let final = name.last, last.contains(final) else { return false }
    return name.dropLast().ends(with: ".sw")
  }
}

extension BidirectionalCollection<UInt8> {
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
