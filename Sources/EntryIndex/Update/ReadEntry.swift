import DiaryCore

/// An entry that was read, with the signature of its file at that time.
package struct ReadEntry: Hashable, Sendable {
  /// The parsed entry.
  package var entry: Entry
  /// The signature of the file that was read, not of an earlier scan.
  package var signature: FileSignature
  /// The time before the first byte was read, in nanoseconds since 1970.
  package var readAt: Int64

  /// Creates an entry that was read.
  package init(entry: Entry, signature: FileSignature, readAt: Int64) {
    self.entry = entry
    self.signature = signature
    self.readAt = readAt
  }
}

/// The result of an update. Each list is ordered by path.
package struct IndexChange: Hashable, Sendable {
  /// New entries.
  package var added: [EntryPath] = []
  /// Entries whose parsed content has changed. A new modification time alone is no change.
  package var changed: [EntryPath] = []
  /// Entries whose files were removed or are no longer entries.
  package var removed: [EntryPath] = []
  /// True if the index was empty before, so that all entries are in ``added``.
  package var isFirst = false

  /// Creates an empty change.
  package init() {}

  /// True if no entry has changed.
  package var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

  mutating func sort() {
    added.sort()
    changed.sort()
    removed.sort()
  }
}
