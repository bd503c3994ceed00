/// The merge of two devices' changes of one folder. It depends only on the files: exchanging the
/// sides exchanges ``newPathsOfA`` and ``newPathsOfB`` and changes nothing else.
///
/// - Renames are followed on both sides. If both sides renamed a file, folder and name are each
///   taken from the side that changed them. If both changed one, the longer one wins, or of equal
///   length the one that sorts first.
/// - A file that one side deleted and the other edited or renamed stays. A new name shows that the
///   file is wanted, and nothing is lost by keeping it.
/// - A file that both sides changed is merged if it is text: entries by the rules of entries, other
///   texts by lines if the changes do not touch. Otherwise both versions stay.
/// - Two different files with one path become one entry if they are of one day. Otherwise the one
///   whose bytes sort later becomes `name-<8 hex of its id>.md`, as does a file at a folder's path.
/// - Of two links or two submodules, the one whose id sorts first wins.
package struct TreeMerge: Hashable, Sendable {
  /// The final state of a path.
  package enum Outcome: Hashable, Sendable {
    /// The path has no file.
    case absent
    /// A file of one of the sides or of the base.
    case file(TreeFile)
    /// A text that no side has.
    case text([UInt8], FileKind)
  }

  /// The final state of every path that a side changed, and of every new name.
  package internal(set) var paths: [EntryPath: Outcome] = [:]
  /// The paths with two versions of something: in one text, or in a file and its conflict copy.
  /// Also links and submodules of which only one could stay.
  package internal(set) var conflictPaths: Set<EntryPath> = []
  /// Files renamed because another file has their path: the new path with the original one.
  package internal(set) var conflictCopies: [EntryPath: EntryPath] = [:]
  /// The new path of each file of side a, by its path there. Contains only paths that a side
  /// touched, and no removed files.
  package internal(set) var newPathsOfA: [EntryPath: EntryPath] = [:]
  /// The new path of each file of side b, in the same way.
  package internal(set) var newPathsOfB: [EntryPath: EntryPath] = [:]

  init() {}

  /// Merges the changes from a common base to `a` and to `b`. Without a base, all files are new on
  /// both sides. Rethrows an error of `source`.
  package init<Failure: Error>(
    a: [EntryPath: TreeChange], b: [EntryPath: TreeChange], rules: MergeRules,
    source: MergeSource<Failure>
  ) throws(Failure) {
    let merger = TreeMerger(a: a, b: b, rules: rules, source: source)
    self = try merger.result()
  }
}

/// The rules of a journal for a merge. They must be equal on all devices, or the results differ.
package struct MergeRules: Sendable {
  /// Returns true for the path of an entry, by the shared settings.
  package var isEntry: @Sendable (EntryPath) -> Bool
  /// Returns the day of an entry with these bytes, by the shared settings.
  package var day: @Sendable (EntryPath, [UInt8]) -> Day?

  package init(
    isEntry: @escaping @Sendable (EntryPath) -> Bool,
    day: @escaping @Sendable (EntryPath, [UInt8]) -> Day?
  ) {
    self.isEntry = isEntry
    self.day = day
  }
}

/// Access to the content of the trees.
package struct MergeSource<Failure: Error> {
  /// The content of the base at a path.
  package enum BaseEntry: Hashable, Sendable {
    case nothing
    case folder
    case file(TreeFile)
  }

  let read: (_ id: [UInt8]) throws(Failure) -> [UInt8]
  let blobID: (_ bytes: [UInt8]) throws(Failure) -> [UInt8]
  let base: (EntryPath) throws(Failure) -> BaseEntry

  /// The functions return a blob's bytes by its id, the id of some bytes, and the content of the
  /// base at a path. The last one is called only for names that no side has.
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
