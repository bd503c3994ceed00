import DiaryCore

/// A file that a walk of the journal found and that has the name of an entry.
public struct IndexedFile: Hashable, Sendable {
  /// Where it lies.
  public var path: EntryPath
  /// What the walk saw of it.
  public var stamp: FileStamp

  /// A found file.
  public init(path: EntryPath, stamp: FileStamp) {
    self.path = path
    self.stamp = stamp
  }
}

/// An entry as it was read, with what its file looked like in that moment.
public struct ReadEntry: Hashable, Sendable {
  /// What its bytes meant.
  public var entry: Entry
  /// Of the very file that was read, not of an earlier walk.
  public var stamp: FileStamp
  /// Nanoseconds since 1970, taken before the first byte was read.
  public var readAt: Int64

  /// An entry that was read.
  public init(entry: Entry, stamp: FileStamp, readAt: Int64) {
    self.entry = entry
    self.stamp = stamp
    self.readAt = readAt
  }
}

/// What an update found out, each list ordered by path.
public struct IndexChange: Hashable, Sendable {
  /// Entries that were not known before.
  public var added: [EntryPath] = []
  /// Entries that mean something else than before; a file that was only touched is not among them.
  public var changed: [EntryPath] = []
  /// Entries whose files are gone, or are no entries any more.
  public var removed: [EntryPath] = []
  /// The catalogue was empty, so that everything counts as added.
  public var isFirst = false
  /// Which rows the update found; `nil` for a first one, or one in memory.
  public var found: RowsState?
  /// Which rows it left, if nobody else wrote meanwhile: then the catalogue has others.
  public var left: RowsState?

  /// Nothing has changed.
  public init() {}

  /// Whether nothing has changed.
  public var isEmpty: Bool { added.isEmpty && changed.isEmpty && removed.isEmpty }

  init(from found: RowsState?) {
    self.found = found
    left = found
  }

  mutating func sort() {
    added.sort()
    changed.sort()
    removed.sort()
  }
}
