/// What two devices' changes of one folder become together. It depends on the files alone: swapping
/// the sides changes nothing but ``fromA`` and ``fromB``, which are swapped.
///
/// - Renames are followed, on either side. Renamed on both sides: the folder and the name are each
///   taken from the side that changed them; where both did, the longer one stands, of two equally
///   long the one that sorts first.
/// - What was deleted on one side and edited or renamed on the other stays: a name that was just given
///   says that the file is wanted, and nothing is lost by keeping it.
/// - A file that both sides changed is merged as a text where it is one (entries by the rules of
///   entries, other texts by lines where the changes lie apart), else both versions stay.
/// - Two different files in one place: entries of one day become one; else the one whose bytes sort
///   later is called `name-<8 hex of its id>.md`, and so is a file where the other side needs a folder.
/// - Of two links or two submodules the one whose id sorts first stands.
package struct TreeMerge: Hashable, Sendable {
  /// What a path is to hold.
  package enum Outcome: Hashable, Sendable {
    /// Nothing.
    case absent
    /// A file that one of the sides (or the base) has.
    case file(TreeFile)
    /// A text that no side has.
    case text([UInt8], FileKind)
  }

  /// Every path that a side changed, and every new name, with its final state.
  package internal(set) var paths: [EntryPath: Outcome] = [:]
  /// Where two versions of something stand now: inside one text, or in the file and its twin; also
  /// links and submodules of which only one could stay.
  package internal(set) var conflictPaths: Set<EntryPath> = []
  /// Files that were given a name of their own, with the place that they had to leave to another.
  package internal(set) var conflictCopies: [EntryPath: EntryPath] = [:]
  /// Where each file of side a is now, by its path there; those that are gone are not listed. Only
  /// paths that a side touched.
  package internal(set) var newPathsOfA: [EntryPath: EntryPath] = [:]
  /// The same for side b.
  package internal(set) var newPathsOfB: [EntryPath: EntryPath] = [:]

  /// Nothing changed.
  init() {}

  /// Merges the changes from a common base to `a` and to `b`; without a base, all is new on both
  /// sides. An error of `source` ends it.
  package init<Failure: Error>(
    a: [EntryPath: TreeChange], b: [EntryPath: TreeChange], rules: MergeRules,
    source: MergeSource<Failure>
  ) throws(Failure) {
    let merger = TreeMerger(a: a, b: b, rules: rules, source: source)
    self = try merger.result()
  }
}

/// What the merge must be told about a journal; the same on all devices, or they part ways.
package struct MergeRules: Sendable {
  /// Whether a path is an entry's, by the shared settings.
  package var isEntry: @Sendable (EntryPath) -> Bool
  /// The day of an entry with these bytes, by the shared settings.
  package var day: @Sendable (EntryPath, [UInt8]) -> Day?

  package init(
    isEntry: @escaping @Sendable (EntryPath) -> Bool,
    day: @escaping @Sendable (EntryPath, [UInt8]) -> Day?
  ) {
    self.isEntry = isEntry
    self.day = day
  }
}

/// Where a merge finds what it needs of the trees.
package struct MergeSource<Failure: Error> {
  /// What the base holds in a place.
  package enum BaseEntry: Hashable, Sendable {
    case nothing
    case folder
    case file(TreeFile)
  }

  let read: (_ id: [UInt8]) throws(Failure) -> [UInt8]
  let blobID: (_ bytes: [UInt8]) throws(Failure) -> [UInt8]
  let base: (EntryPath) throws(Failure) -> BaseEntry

  /// `read`: a blob's bytes by its id. `name`: the id that bytes have. `base`: what the base holds at
  /// a path, asked only of names that no side knows.
  package init(
    read: @escaping (_ id: [UInt8]) throws(Failure) -> [UInt8],
    blobID: @escaping (_ bytes: [UInt8]) throws(Failure) -> [UInt8],
    base: @escaping (EntryPath) throws(Failure) -> BaseEntry
  ) {
    self.read = read
    self.blobID = blobID
    self.base = base
  }
}
