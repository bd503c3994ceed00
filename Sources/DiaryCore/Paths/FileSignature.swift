/// A file's size, time and number when it was last read. A file whose signature is the same has not
/// changed, unless its modification time is too recent to tell (``isTrustworthy(readAt:)``).
package struct FileSignature: Hashable, Sendable, Codable {
  /// Bytes.
  package var size: Int64
  /// Nanoseconds since 1970.
  package var modified: Int64
  /// The file's number on its device.
  package var inode: UInt64
  /// Permission and type bits, as `stat` gives them.
  package var mode: UInt32

  package init(size: Int64, modified: Int64, inode: UInt64, mode: UInt32) {
    self.size = size
    self.modified = modified
    self.inode = inode
    self.mode = mode
  }

  /// The file has an execute permission: its owner's, its group's or everybody's.
  package var isExecutable: Bool { mode & 0o111 != 0 }

  /// Any later write changes the signature. False if the file had been changed less than two seconds
  /// before it was read (`readAt`, nanoseconds since 1970), or has a time in the future.
  package func isReliable(readAt: Int64) -> Bool { modified + 2_000_000_000 <= readAt }
}

/// A file's bytes as they were read.
package struct FileContents: Sendable, Equatable {
  /// All of them, as the disk holds them.
  package var bytes: [UInt8]
  /// How the file looked when its reading began.
  package var signature: FileSignature
  /// Nanoseconds since 1970 when the reading began.
  package var readAt: Int64
  /// False when somebody was writing all the while, so that the bytes may be half of one version
  /// and half of the next; the stamp is then an older one than the file's.
  package var isConsistent: Bool

  package init(bytes: [UInt8], signature: FileSignature, readAt: Int64, isConsistent: Bool = true) {
    self.bytes = bytes
    self.signature = signature
    self.readAt = readAt
    self.isConsistent = isConsistent
  }
}
