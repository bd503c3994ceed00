import Glibc

/// An unnamed file for data that is too large for memory. It disappears when the process ends.
package final class ScratchFile: Sendable {
  private let file: Descriptor
  private let displayPath: String

  /// Creates an empty file on the file system of `folder`.
  package init(in folder: JournalFolder) throws(FileError) {
    displayPath = folder.root
    let temporary = try TempFile(
      in: folder.rootDescriptor, mode: 0o600, displayPath: folder.root, for: .create)
    // The name is removed with `temporary`. A process killed before that leaves an empty leftover.
    let number = withExtendedLifetime(temporary) { fcntl(temporary.descriptor, F_DUPFD_CLOEXEC, 0) }
    guard number >= 0 else { throw FileError(.create, folder.root, code: errno) }
    file = Descriptor(owning: number)
  }

  /// Appends bytes without flushing.
  package func append(_ piece: [UInt8]) throws(FileError) {
    try writeAll(piece, to: file.number, displayPath: displayPath, for: .create)
  }

  /// Reads up to `count` bytes at `offset`; fewer only at the end of the file.
  package func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    try file.read(at: offset, count: count, displayPath: displayPath)
  }
}
