import DiaryCore
import EntryFiles
import Localization

/// A file of the journal that is not an entry: a picture, a sound, or any file beside the entries.
package struct JournalFile: Sendable {
  private let file: OpenedFile

  fileprivate init(_ file: OpenedFile) { self.file = file }

  /// The file's size in bytes when it was opened.
  package var size: Int { file.size }

  /// A tag that differs between two versions of the file.
  package var tag: String { "\(file.size)-\(file.signature.modified)-\(file.signature.inode)" }

  /// Reads at most `count` bytes from `offset`; fewer only at the end of the file.
  package func read(at offset: Int, count: Int) throws(DiaryError) -> [UInt8] {
    do { return try file.read(at: offset, count: count) } catch { throw DiaryError(error) }
  }
}

/// A file that is received in pieces. It is unnamed and in Diary's state folder: until it is
/// attached it is not listed or saved, and it is removed whenever the process ends.
package struct IncomingFile: Sendable {
  fileprivate let scratch: ScratchFile

  fileprivate init(_ scratch: ScratchFile) { self.scratch = scratch }

  /// Appends the next bytes.
  package func append(_ piece: [UInt8]) throws(DiaryError) {
    do { try scratch.append(piece) } catch { throw DiaryError(error) }
  }

  /// Reads at most `count` bytes from `offset`.
  package func read(at offset: Int, count: Int) throws(DiaryError) -> [UInt8] {
    do { return try scratch.read(at: offset, count: count) } catch { throw DiaryError(error) }
  }
}

extension PageEditing {
  /// Opens a file of the journal. Throws `nothingFound` for files that are not served: missing,
  /// hidden or special files, files behind a link, and files named like a key or a password.
  package func file(at path: EntryPath) throws(DiaryError) -> JournalFile {
    let missing = DiaryError(
      localized("there is no file \(path.text) in the journal"), kind: .nothingFound)
    guard !path.isHidden, !FileName.isSecret(path) else { throw missing }
    do {
      guard let file = try journal.folder.openFile(path) else { throw missing }
      return JournalFile(file)
    } catch let error as FileError {
      // A link, a pipe or a folder is reported as missing.
      if journal.folder.hasFile(path) { throw DiaryError(error) }
      throw missing
    } catch {
      throw missing
    }
  }

  /// Creates an empty file that receives an attachment.
  package func incomingFile() throws(DiaryError) -> IncomingFile {
    try journal.makeStateFolder()
    do {
      return IncomingFile(try ScratchFile(in: JournalFolder(root: journal.stateFolder)))
    } catch {
      throw DiaryError(error)
    }
  }

  /// Attaches a file to an entry under a free name, as `diary new --attach` does. Returns its path
  /// and the Markdown that shows it or links to it.
  package func attach(
    _ file: IncomingFile, named name: String, to entry: EntryPath
  ) async throws -> (path: EntryPath, markdown: String) {
    guard journal.folder.hasFile(entry) else {
      throw DiaryError(
        localized("there is no entry \(entry.text)"), kind: .nothingFound)
    }
    let path = try await journal.locked { locked in
      try locked.attach(named: name, to: entry) {
        try journal.folder.createIfFree($0, copying: file.scratch)
      }
    }
    return (path, Entries.link(to: path, in: entry))
  }
}
