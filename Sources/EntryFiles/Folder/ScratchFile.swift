import Glibc

/// A file without a name, for what is too large for the memory. Whatever ends the process, nothing of it
/// is left.
package final class ScratchFile: Sendable {
  private let file: Descriptor
  private let displayPath: String

  /// Makes an empty one on the file system of `folder`.
  package init(in folder: JournalFolder) throws(FileError) {
    displayPath = folder.root
    let temporary = try TempFile(
      in: folder.rootDescriptor, mode: 0o600, displayPath: folder.root, for: .create)
    // The name goes with `named`. A process that is killed before leaves an empty leftover.
    let number = withExtendedLifetime(temporary) { fcntl(temporary.descriptor, F_DUPFD_CLOEXEC, 0) }
    guard number >= 0 else { throw FileError(.create, folder.root, code: errno) }
    file = Descriptor(owning: number)
  }

  /// Writes a piece at the end, without waiting for the disk.
  package func append(_ piece: [UInt8]) throws(FileError) {
    try writeAll(piece, to: file.number, displayPath: displayPath, for: .create)
  }

  /// At most `count` bytes from `offset` on; fewer only at the file's end.
  package func read(at offset: Int, count: Int) throws(FileError) -> [UInt8] {
    try file.read(at: offset, count: count, displayPath: displayPath)
  }
}
