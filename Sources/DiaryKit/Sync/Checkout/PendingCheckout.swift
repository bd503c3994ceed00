import DiaryCore
import GitHistory

/// A file that a sync updates, with the versions of it that an editor may show.
///
/// It is recorded before the branch moves. While an editor blocks the checkout, saves of the file
/// are merged with the branch's version. After the checkout, saves of an editor's stale buffer are
/// merged as well. The record ends with a save of another text that contains the incoming changes,
/// or ``retentionSeconds`` after the last checkout.
struct PendingCheckout: Codable, Sendable, Equatable {
  /// Percent-encoded, from the top of the repository.
  var name: String
  /// The blob id of the content on disk; `nil` if there is no file.
  var disk: String?
  /// The blob ids of the contents that an editor may show, oldest first: the one on disk, and older
  /// ones that syncs replaced without a save in between.
  var seen: [String]
  /// The new path of the entry, if the sync renamed it.
  var movedTo: String?
  /// The branch's blob id at the start of a stale save's merge, until that merge is saved.
  var onto: String?
  /// The blob id that replaced the content on disk; `nil` while the checkout is pending.
  var brought: String?
  /// The blob id of the stale save that was merged last.
  var merged: String?
  /// True if a sync removed the file from the disk.
  var isGone = false
  /// Unix seconds.
  var at: Int

  /// The seconds after which the record of a checkout is removed. Some editors stay open for weeks.
  static let retentionSeconds = 30 * 86_400
  /// The seconds after a checkout from which a repeated save of a merged text is intended: the user
  /// has seen the incoming changes and removes them. A program that writes its stale buffer every
  /// few seconds has not.
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

  /// Marks the checkout as pending again, with the given content on disk.
  mutating func markPending(disk: String?, at moment: Int) {
    (self.disk, brought, onto, isGone, at) = (disk, nil, nil, false, moment)
  }
}

extension Journal {
  /// The records in the order of the syncs, at most one for each path.
  var checkoutRecords: StateFile<[PendingCheckout]> {
    StateFile("arrivals.json", in: stateFolder, defaultValue: [], durable: true)
  }

  /// Writes the records, or removes the file if there are none, so that a save has nothing to read.
  func writeCheckoutRecords(_ all: [PendingCheckout]) throws {
    guard (try? checkoutRecords.load()) != all else { return }
    if all.isEmpty { checkoutRecords.remove() } else { try checkoutRecords.write(all) }
  }

  /// The pending checkouts by their path in the journal.
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
