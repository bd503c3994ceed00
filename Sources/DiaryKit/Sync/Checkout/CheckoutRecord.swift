import DiaryCore
import GitHistory

/// A file that a sync, or the user's git, updates, with the versions of it that an editor may show.
///
/// It is recorded before the branch moves. While an editor blocks the checkout, saves of the file
/// are merged with the branch's version. After the checkout, saves of an editor's old buffer are
/// merged as well. The record moves with the file, stays while the file is deleted, and ends with a
/// save of another text that contains the incoming changes, or after ``retentionDays``.
struct CheckoutRecord: Codable, Sendable, Equatable {
  /// Percent-encoded, from the top of the repository.
  var name: String
  /// The blob id of the content on disk; `nil` if there is no file.
  var disk: String?
  /// The blob ids of the contents that an editor may show, oldest first: the one on disk, and older
  /// ones that syncs replaced without a save in between.
  var seen: [String]
  /// The new path of the entry, if the sync renamed it.
  var movedTo: String?
  /// The branch's blob id at the start of the merge of an old buffer, until that merge is saved.
  var onto: String?
  /// The blob id that replaced the content on disk; `nil` while the checkout waits.
  var brought: String?
  /// The blob ids of old buffers whose saves were merged, newest last; with ``onto``, the last one is
  /// being merged.
  var returned: [String]?
  /// True if a sync removed the file from the disk.
  var isGone = false
  /// Unix seconds.
  var at: Int
  /// The day of use (``UsedDays``) of the last checkout or merge; `nil` for the first.
  var day: Int?

  /// The number of days of use after which the record of a checkout is removed. Some editors stay
  /// open for weeks.
  static let retentionDays = 30
  /// The seconds after a merge from which a text without the incoming words can be a deletion: the
  /// user has seen them. A program that writes its old buffer every few seconds has not.
  static let repeatedSaveSeconds = 60
  /// The maximum number of saves of old buffers that are recognized when they are saved again.
  private static let maxReturned = 100

  var path: EntryPath? { EntryPath(percentEncoded: name) }
  var diskBlob: ObjectID? { disk.flatMap { ObjectID($0) } }
  var seenBlobs: [ObjectID] { seen.compactMap { ObjectID($0) } }
  var branchBlob: ObjectID? { onto.flatMap { ObjectID($0) } }
  var checkedOutBlob: ObjectID? { brought.flatMap { ObjectID($0) } }
  var target: EntryPath? { movedTo.flatMap { EntryPath(percentEncoded: $0) } }
  var isWaiting: Bool { brought == nil && !isGone }

  init(
    path: EntryPath, disk: ObjectID?, seen: [String] = [], movedTo: EntryPath? = nil, at: Int,
    day: Int? = nil
  ) {
    name = path.percentEncoded
    self.disk = disk?.description
    let shown = [disk?.description].compactMap(\.self)
    self.seen = seen.filter { !shown.contains($0) } + shown
    self.movedTo = movedTo?.percentEncoded
    self.at = at
    self.day = day
  }

  /// The versions that an editor may show after another sync, oldest first.
  var shown: [String] { seen.filter { $0 != brought } + [brought].compactMap(\.self) }

  /// True if the checkout is so old that no editor shows an older text.
  func isExpired(on today: Int) -> Bool { !isWaiting && today - (day ?? 0) >= Self.retentionDays }

  /// Marks the checkout as waiting again, with the given content on disk.
  mutating func markWaiting(disk: String?, at moment: Int, day: Int) {
    (self.disk, brought, onto, isGone) = (disk, nil, nil, false)
    (at, self.day) = (moment, day)
  }

  /// Marks the start of the merge of an old buffer: it is saved first, and then its merge.
  mutating func markMerging(_ blob: ObjectID, onto branchBlob: ObjectID) {
    onto = branchBlob.description
    returned = (returned ?? []).filter { $0 != blob.description } + [blob.description]
  }

  /// Marks the checkout as waiting again after a merge of the old buffer on disk, which replaces
  /// former saves of the same buffer.
  mutating func markMerged(_ blob: ObjectID, at moment: Int, day: Int) {
    let id = blob.description
    markWaiting(disk: id, at: moment, day: day)
    let before = returned ?? []
    seen = seen.filter { $0 != id && !before.contains($0) } + [id]
    returned = (before.filter { $0 != id } + [id]).suffix(Self.maxReturned)
  }
}

/// The days on which Diary ran, by which records age. A clock that jumps adds at most one day for
/// each date that it shows.
struct UsedDays: Codable, Sendable {
  private static let maxRecent = 60

  var count = 0
  /// The days that were counted last, in days since 1970.
  var recent: [Int] = []

  /// Counts the day. Returns true if it is new.
  mutating func add(_ day: Int) -> Bool {
    guard !recent.contains(day) else { return false }
    count += 1
    recent = (recent + [day]).suffix(Self.maxRecent)
    return true
  }
}

extension Checkouts {
  /// The name of a file's record.
  func checkoutName(_ path: EntryPath) -> String {
    journal.gitLocation.repositoryPath(path).percentEncoded
  }

  /// The waiting checkouts by their path in the journal.
  func loadWaitingCheckouts() throws -> [EntryPath: CheckoutRecord] {
    waitingCheckouts(among: try journal.state.checkouts.load())
  }

  func waitingCheckouts(among all: [CheckoutRecord]) -> [EntryPath: CheckoutRecord] {
    var found: [EntryPath: CheckoutRecord] = [:]
    for checkout in all where checkout.isWaiting {
      if let path = checkout.path.flatMap(journal.gitLocation.journalPath) {
        found[path] = checkout
      }
    }
    return found
  }
}

extension Integration {
  /// Writes the records, or removes the file if there are none, so that a save has nothing to read.
  func writeCheckoutRecords(_ all: [CheckoutRecord]) throws {
    guard (try? journal.state.checkouts.load()) != all else { return }
    if all.isEmpty {
      journal.state.checkouts.remove()
    } else {
      try journal.state.checkouts.write(all)
    }
  }

  /// The number of days on which Diary ran, today included.
  func dayOfUse() -> Int {
    var upkeep = journal.state.upkeep.read()
    // If the record cannot be written, the records of checkouts only live longer.
    if upkeep.days.add(journal.now / 86_400) { try? journal.state.upkeep.write(upkeep) }
    return upkeep.days.count
  }
}
