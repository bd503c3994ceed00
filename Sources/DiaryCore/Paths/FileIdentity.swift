import Glibc

/// A file as the kernel knows it, whatever its names.
package struct FileIdentity: Hashable, Sendable {
  /// The file system that it is on.
  package var device: UInt64
  /// Its number there.
  package var inode: UInt64

  package init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}
