/// The bytes of a file as one read found them.
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
