import DiaryCore

/// The public form of the status, for `status --json` and `/api/status`.
package struct StatusJSON: Encodable {
  let journal: String
  let entries: Int
  let watcher: String
  let branch: String
  let unsaved: [String]
  let not_saved: [FileReason]
  let to_update: [FileReason]
  let pending: [String]
  let on_hold: String?
  let staged: [String]
  let missing: [String]
  let owed: [String]
  let review: [String]
  let conflict_copies: [String]
  let last_save: String?
  let sync: SyncJSON?

  package init(_ status: JournalStatus) {
    journal = status.root
    entries = status.entries
    watcher = status.watcher == nil ? "off" : status.isWatcherSuspended ? "suspended" : "running"
    branch = status.branch
    unsaved = status.unsaved.map(\.text)
    not_saved = status.skipped.map(FileReason.init)
    to_update = status.toUpdate.map(FileReason.init)
    pending = status.pending.map(\.text)
    on_hold = status.deferReason
    staged = status.stagedByUser.map(\.text)
    missing = status.missing.map(\.text)
    owed = status.queuedWeather.map(\.text)
    review = status.review.map(\.text)
    conflict_copies = status.conflictCopies.map(\.path.text)
    sync = status.sync.map { SyncJSON($0) }
    last_save = status.lastSave.flatMap { EntryDate(instant: $0, offset: 0)?.description }
  }

  enum CodingKeys: CodingKey {
    case journal, entries, watcher, branch, unsaved, not_saved, to_update, pending, on_hold, staged
    case missing, owed, review, conflict_copies, last_save, sync
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(journal, forKey: .journal)
    try values.encode(entries, forKey: .entries)
    try values.encode(watcher, forKey: .watcher)
    try values.encode(branch, forKey: .branch)
    try values.encode(unsaved, forKey: .unsaved)
    try values.encode(not_saved, forKey: .not_saved)
    try values.encode(to_update, forKey: .to_update)
    try values.encode(pending, forKey: .pending)
    try values.encode(on_hold, forKey: .on_hold)
    try values.encode(staged, forKey: .staged)
    try values.encode(missing, forKey: .missing)
    try values.encode(owed, forKey: .owed)
    try values.encode(review, forKey: .review)
    try values.encode(conflict_copies, forKey: .conflict_copies)
    try values.encode(last_save, forKey: .last_save)
    try values.encode(sync, forKey: .sync)
  }
}

/// A file and the reason of its state, as the remainder of a sentence that begins with the path.
struct FileReason: Encodable {
  let path: String
  let reason: String

  init(_ file: SkippedFile) { (path, reason) = (file.path.text, file.reason) }
}

/// The sync status in `status --json`.
package struct SyncJSON: Encodable {
  let remote: String
  let url: String
  let last_fetch: String?
  let last_push: String?
  let unsent: Int
  let kept_both: [String]
  let trouble: String?
  let hint: String?

  init(_ sync: SyncStatus) {
    let date = { (instant: Int?) in
      instant.flatMap { EntryDate(instant: $0, offset: 0)?.description }
    }
    remote = sync.remote
    url = sync.url
    last_fetch = date(sync.fetched)
    last_push = date(sync.pushed)
    unsent = sync.unsent
    kept_both = sync.keptBoth.map(\.text)
    trouble = sync.error
    hint = sync.hint
  }

  enum CodingKeys: CodingKey {
    case remote, url, last_fetch, last_push, unsent, kept_both, trouble, hint
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(remote, forKey: .remote)
    try values.encode(url, forKey: .url)
    try values.encode(last_fetch, forKey: .last_fetch)
    try values.encode(last_push, forKey: .last_push)
    try values.encode(unsent, forKey: .unsent)
    try values.encode(kept_both, forKey: .kept_both)
    try values.encode(trouble, forKey: .trouble)
    try values.encode(hint, forKey: .hint)
  }
}
