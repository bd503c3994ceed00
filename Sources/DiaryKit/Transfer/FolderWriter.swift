import DiaryCore
import EntryFormats
import Foundation
import Glibc
import Localization

/// Writes entries as files of a folder, as they are, with the files that they show.
struct FolderWriter {
  let source: ExportSource
  /// The folder, which is there.
  let root: String
  /// Its name for the reader.
  let displayPath: String
  let progress: (_ done: Int, _ of: Int) -> Void

  /// Answers how many entries were written.
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

  /// Writes a file of the folder, whose folders are made.
  func write(to path: EntryPath, _ content: (ExportFile) throws -> Void) throws {
    let file = try createFile(path)
    try content(file)
    // To wait for the disk at each of thousands would take minutes.
    try file.close(flushing: false)
  }

  /// Makes a file of the folder, to be written and closed.
  func createFile(_ path: EntryPath) throws -> ExportFile {
    if let folder = path.folder { try makeFolder(folder) }
    return try ExportFile(at: cPath(path), displayPath: displayPath + "/" + path.text)
  }

  /// The name of a file, as the very bytes of its path.
  private func cPath(_ path: EntryPath) -> [CChar] {
    (Array(root.utf8) + [UInt8(ascii: "/")] + path.bytes + [0]).map { CChar(bitPattern: $0) }
  }

  private func makeFolder(_ folder: EntryPath) throws {
    guard mkdir(cPath(folder), 0o777) != 0 else { return }
    if errno == ENOENT, let above = folder.folder {
      try makeFolder(above)
      if mkdir(cPath(folder), 0o777) == 0 { return }
    }
    guard errno == EEXIST else {
      throw DiaryError.cannotWrite(displayPath + "/" + folder.text, errno)
    }
  }
}
