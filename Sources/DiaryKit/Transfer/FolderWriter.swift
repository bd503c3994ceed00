import DiaryCore
import EntryFormats
import Foundation
import Glibc
import Localization

/// Writes entries as files of a folder, unchanged, with the files that they show.
struct FolderWriter {
  let source: ExportSource
  /// The path of the folder, which exists.
  let root: String
  /// The path for messages.
  let displayPath: String
  let progress: (_ done: Int, _ of: Int) -> Void

  /// Writes the entries and returns their number.
  func write(_ entries: [EntrySummary]) throws -> Int {
    var written: Set<EntryPath> = []
    for (index, listed) in entries.enumerated() {
      try Task.checkCancellation()
      let entry = try source.wholeEntry(listed)
      try write(to: listed.path) { try $0.write(entry.text.bytes) }
      for file in entry.attachments
      where source.shouldIncludeAttachments && written.insert(file.path).inserted {
        try write(to: file.path) { target in try source.read(file) { try target.write($0) } }
      }
      progress(index + 1, entries.count)
    }
    return entries.count
  }

  /// Writes a file of the folder and creates its parent folders.
  func write(to path: EntryPath, _ content: (ExportFile) throws -> Void) throws {
    let file = try createFile(path)
    try content(file)
    // An fsync for each of thousands of files would take minutes.
    try file.close(flushing: false)
  }

  /// Creates a file of the folder, which the caller writes and closes.
  func createFile(_ path: EntryPath) throws -> ExportFile {
    if let folder = path.folder { try makeFolder(folder) }
    return try ExportFile(at: cPath(path), displayPath: displayPath + "/" + path.text)
  }

  /// Returns the path of a file as NUL-terminated bytes.
  private func cPath(_ path: EntryPath) -> [CChar] {
    (Array(root.utf8) + [UInt8(ascii: "/")] + path.bytes + [0]).map { CChar(bitPattern: $0) }
  }

  private func makeFolder(_ folder: EntryPath) throws {
    guard mkdir(cPath(folder), 0o700) != 0 else { return }
    if errno == ENOENT, let above = folder.folder {
      try makeFolder(above)
      if mkdir(cPath(folder), 0o700) == 0 { return }
    }
    guard errno == EEXIST else {
      throw DiaryError.cannotWrite(displayPath + "/" + folder.text, errno)
    }
  }
}
