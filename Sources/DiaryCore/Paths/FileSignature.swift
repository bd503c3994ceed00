import Glibc

/// A file's size, modification time and inode at the last read. A file with an equal signature has
/// not changed, unless it was written too recently to be sure (``FoundFile/isReliable(readAt:)``).
package struct FileSignature: Hashable, Sendable, Codable {
  /// The size in bytes.
  package var size: Int64
  /// Nanoseconds since 1970.
  package var modified: Int64
  package var inode: UInt64
  /// Permission and type bits, as returned by `stat`.
  package var mode: UInt32

  package init(size: Int64, modified: Int64, inode: UInt64, mode: UInt32) {
    self.size = size
    self.modified = modified
    self.inode = inode
    self.mode = mode
  }

  /// True if the file is executable by its owner, its group or others.
  package var isExecutable: Bool { mode & 0o111 != 0 }
}

extension FileSignature {
  /// Creates the signature from the result of `stat`.
  package init(_ status: stat) {
    self.init(
      size: Int64(status.st_size),
      modified: Self.nanoseconds(status.st_mtim), inode: UInt64(status.st_ino),
      mode: UInt32(status.st_mode))
  }

  /// Nanoseconds since 1970.
  package static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

package struct FileContents: Sendable, Equatable {
  package var bytes: [UInt8]
  /// The signature of the file when the read started.
  package var signature: FileSignature
  /// Nanoseconds since 1970 when the read started.
  package var readAt: Int64
  /// False if the file was written throughout the read, so that the bytes may mix two versions. The
  /// signature is then older than the file's.
  package var isConsistent: Bool

  package init(bytes: [UInt8], signature: FileSignature, readAt: Int64, isConsistent: Bool = true) {
    self.bytes = bytes
    self.signature = signature
    self.readAt = readAt
    self.isConsistent = isConsistent
  }
}
