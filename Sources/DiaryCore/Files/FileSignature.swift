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
