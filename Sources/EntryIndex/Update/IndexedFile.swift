import DiaryCore

/// A file that a walk of the journal found and that has the name of an entry.
package struct IndexedFile: Hashable, Sendable {
  /// Where it lies.
  package var path: EntryPath
  /// What the walk saw of it.
  package var signature: FileSignature

  /// A found file.
  package init(path: EntryPath, signature: FileSignature) {
    self.path = path
    self.signature = signature
  }
}

/// An entry as it was read, with what its file looked like in that moment.
package struct ReadEntry: Hashable, Sendable {
  /// What its bytes meant.
  package var entry: Entry
  /// Of the very file that was read, not of an earlier walk.
  package var signature: FileSignature
  /// Nanoseconds since 1970, taken before the first byte was read.
  package var readAt: Int64

  /// An entry that was read.
  package init(entry: Entry, signature: FileSignature, readAt: Int64) {
    self.entry = entry
    self.signature = signature
    self.readAt = readAt
  }
}

/// What an update found out, each list ordered by path.
package struct IndexChange: Hashable, Sendable {
  /// Entries that were not known before.
  package var added: [EntryPath] = []
  /// Entries that mean something else than before; a file that was only touched is not among them.
  package var changed: [EntryPath] = []
  /// Entries whose files are gone, or are no entries any more.
  package var removed: [EntryPath] = []
  /// The catalogue was empty, so that everything counts as added.
  package var isFirst = false

  /// Nothing has changed.
  package init() {}

  /// Whether nothing has changed.
  package var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

  mutating func sort() {
    added.sort()
    changed.sort()
    removed.sort()
  }
}
