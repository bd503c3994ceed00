import DiaryCore
import EntryFiles
import Localization

/// A file of the journal that is no entry's text: a picture, a sound, whatever lies beside the entries.
package struct JournalFile: Sendable {
  private let file: OpenedFile

  fileprivate init(_ file: OpenedFile) { self.file = file }

  /// Its bytes when it was opened.
  package var size: Int { file.size }

  /// What differs between two versions of it.
  package var tag: String { "\(file.size)-\(file.signature.modified)-\(file.signature.inode)" }

  /// At most `count` bytes from `offset` on; fewer only at its end.
  package func read(at offset: Int, count: Int) throws(DiaryError) -> [UInt8] {
    do { return try file.read(at: offset, count: count) } catch { throw DiaryError(error) }
  }
}

/// A file that comes bit by bit. It has no name and lies beside Diary's private state: until it is
/// attached nobody lists or saves it, and whatever ends the process, nothing of it is left.
package struct IncomingFile: Sendable {
  fileprivate let scratch: ScratchFile

  fileprivate init(_ scratch: ScratchFile) { self.scratch = scratch }

  /// Takes the next bytes.
  package func append(_ piece: [UInt8]) throws(DiaryError) {
    do { try scratch.append(piece) } catch { throw DiaryError(error) }
  }

  /// At most `count` of its bytes from `offset` on.
  package func read(at offset: Int, count: Int) throws(DiaryError) -> [UInt8] {
    do { return try scratch.read(at: offset, count: count) } catch { throw DiaryError(error) }
  }
}

extension Journal {
  /// Opens a file of the journal. Fails with `nothingFound` for what nobody is shown by address: what is
  /// missing, hidden, no ordinary file, reached through a link, or a key or a password by its name.
  package func file(at path: EntryPath) throws(DiaryError) -> JournalFile {
    let missing = DiaryError(
      localized("there is no file \(path.text) in the journal"), kind: .nothingFound)
    guard !path.isHidden, !FileName.isSecret(path) else { throw missing }
    do {
      guard let file = try folder.openFile(path) else { throw missing }
      return JournalFile(file)
    } catch let error as FileError {
      // A link, a pipe, a folder: what it is, is nobody's business.
      if folder.hasFile(path) { throw DiaryError(error) }
      throw missing
    } catch {
      throw missing
    }
  }

  /// An empty file for what comes to be attached.
  package func incomingFile() throws(DiaryError) -> IncomingFile {
    try makeStateFolder()
    do {
      return IncomingFile(try ScratchFile(in: JournalFolder(root: stateFolder)))
    } catch {
      throw DiaryError(error)
    }
  }

  /// Puts a file beside an entry, under a free name, as `diary new --attach` does; answers its path and the
  /// Markdown that shows it or links to it.
  package func attach(
    _ file: IncomingFile, named name: String, to entry: EntryPath
  ) async throws -> (path: EntryPath, markdown: String) {
    guard folder.hasFile(entry) else {
      throw DiaryError(
        localized("there is no entry \(entry.text)"), kind: .nothingFound)
    }
    let path = try await withJournalLock {
      try self.attach(named: name, beside: entry) {
        try folder.createIfFree($0, copying: file.scratch)
      }
    }
    return (path, Self.link(to: path.name))
  }
}
