/// A file that a scan found.
package struct FoundFile: Sendable, Hashable {
  /// The path in the journal.
  package var path: EntryPath
  /// The file's signature.
  package var signature: FileSignature
  /// The time of the last change of content or status (`ctime`), in nanoseconds since 1970. It also
  /// changes when a write resets the modification time.
  package var statusChangedAt: Int64

  package init(path: EntryPath, signature: FileSignature, statusChangedAt: Int64) {
    self.path = path
    self.signature = signature
    self.statusChangedAt = statusChangedAt
  }
}
