import DiaryCore
import Glibc

/// A regular file of the journal, held open for reading in parts. Later replacements do not change
/// what it reads.
package final class OpenedFile: Sendable {
  private let file: Descriptor
  private let displayPath: String
  /// The size in bytes when it was opened.
  package let size: Int
  /// The signature when it was opened.
  package let signature: FileSignature

  fileprivate init(_ file: consuming Descriptor, displayPath shown: String) throws(FileError) {
    var found = try status(of: file, displayPath: shown)
    guard found.isRegular else { throw FileError(.read, shown, .notRegular) }
    // gocryptfs before 2.4 tells a size that is 50 bytes too large for a second after a file was
    // linked (https://github.com/rfjakob/gocryptfs/issues/724), until the end is read.
    let last = Int(found.st_size) - 1
    if last >= 0, try file.read(at: last, count: 1, displayPath: shown).isEmpty {
      found = try status(of: file, displayPath: shown)
    }
    size = Int(found.st_size)
    signature = FileSignature(found)
    self.file = file
    self.displayPath = shown
  }

  /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
  package func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    try file.read(at: offset, count: count, displayPath: displayPath)
  }
}

extension Descriptor {
  /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
  func read(at offset: Int, count: Int, displayPath shown: String) throws(FileError) -> [UInt8] {
    var code: Int32?
    let file = number
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let remainder = UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let at = offset + filled
        let got = retryOnInterrupt { pread(file, remainder.baseAddress, remainder.count, at) }
        if got < 0 { code = errno }
        guard got > 0 else { break }
        filled += got
      }
    }
    if let code { throw FileError(.read, shown, code: code) }
    return bytes
  }
}

extension JournalFolder {
  /// Opens a file for reading, never through a link; `nil` if it does not exist.
  package func openFile(_ path: EntryPath) throws(FileError) -> OpenedFile? {
    guard let file = try openToRead(path, for: .read) else { return nil }
    return try OpenedFile(file, displayPath: path.text)
  }
}
