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

  /// True if any write since the file was read (`readAt`, nanoseconds since 1970) would show. False
  /// if content or status changed less than two seconds before, or have a time in the future.
  package func isReliable(readAt: Int64) -> Bool {
    max(signature.modified, statusChangedAt) + 2_000_000_000 <= readAt
  }
}
