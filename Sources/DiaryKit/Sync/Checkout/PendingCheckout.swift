import DiaryCore
import GitHistory

/// A file that a sync brought a newer version of: which version the writer last saw.
///
/// Written down before the branch moves. While the file waits (an editor holds it), what is saved of
/// it is merged with the branch's version; so is each save after it was replaced that comes from an
/// editor's old buffer. The note of a replaced file ends with a save of another text that holds what
/// came, or ``rememberedFor`` after the file was replaced last.
struct PendingCheckout: Codable, Sendable, Equatable {
  /// Percent-encoded, from the top of the repository.
  var name: String
  /// The name of the content that the disk shows; `nil` where it shows no file.
  var disk: String?
  /// The names of the contents that an editor may still hold, the oldest first: the disk's, and older
  /// ones if nobody has saved the file since syncs replaced them.
  var seen: [String]
  /// Where the entry is now, when the sync renamed it.
  var movedTo: String?
  /// What the branch had of it when a late save began to be merged; until that merge is kept.
  var onto: String?
  /// The content that replaced it on the disk; `nil` while it waits.
  var brought: String?
  /// The late save that was merged last.
  var merged: String?
  /// A sync took the file away from the disk.
  var isGone = false
  /// Unix seconds.
  var at: Int

  /// For how many seconds a replaced file is remembered: some editors stay open for weeks.
  static let retentionSeconds = 30 * 86_400
  /// How many seconds after the file was replaced a merged text may be the user's own word, if it is
  /// saved again: they have seen what came and take it away. A program that writes its old buffer
  /// every few seconds has not.
  static let repeatedSaveSeconds = 60

  var path: EntryPath? { EntryPath(percentEncoded: name) }
  var diskBlob: ObjectID? { disk.flatMap { ObjectID($0) } }
  var seenBlobs: [ObjectID] { seen.compactMap { ObjectID($0) } }
  var branchBlob: ObjectID? { onto.flatMap { ObjectID($0) } }
  var checkedOutBlob: ObjectID? { brought.flatMap { ObjectID($0) } }
  var target: EntryPath? { movedTo.flatMap { EntryPath(percentEncoded: $0) } }
  var isPending: Bool { brought == nil && !isGone }

  init(
    path: EntryPath, disk: ObjectID?, seen: [String] = [], movedTo: EntryPath? = nil, at: Int
  ) {
    name = path.percentEncoded
    self.disk = disk?.description
    let shown = [disk?.description].compactMap(\.self)
    self.seen = seen.filter { !shown.contains($0) } + shown
    self.movedTo = movedTo?.percentEncoded
    self.at = at
  }

  /// From now on the file waits again, and the disk shows this content.
  mutating func markPending(disk: String?, at moment: Int) {
    (self.disk, brought, onto, isGone, at) = (disk, nil, nil, false, moment)
  }
}

extension Journal {
  /// In the order in which they came; at most one of a path.
  var checkoutRecords: StateFile<[PendingCheckout]> {
    StateFile("arrivals.json", in: stateFolder, defaultValue: [], durable: true)
  }

  /// Keeps no document where there is nothing to remember, so that a save finds none to read.
  func writeCheckoutRecords(_ all: [PendingCheckout]) throws {
    if all.isEmpty { checkoutRecords.remove() } else { try checkoutRecords.write(all) }
  }

  /// Those that wait, by their path in the journal.
  func loadPendingCheckouts() throws -> [EntryPath: PendingCheckout] {
    pendingCheckouts(among: try checkoutRecords.load())
  }

  func pendingCheckouts(among all: [PendingCheckout]) -> [EntryPath: PendingCheckout] {
    var found: [EntryPath: PendingCheckout] = [:]
    for checkout in all where checkout.isPending {
      if let path = checkout.path.flatMap(gitLocation.journalPath) { found[path] = checkout }
    }
    return found
  }
}
