import DiaryCore

/// The public form of the status, for `status --json` and `/api/status`.
package struct StatusJSON: Encodable {
  let journal: String
  let entries: Int
  let watching: Bool
  let branch: String
  let unsaved: [String]
  let pending: [String]
  let waiting: String?
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
    watching = status.watcher != nil
    branch = status.branch
    unsaved = status.unsaved.map(\.text)
    pending = status.pending.map(\.text)
    waiting = status.deferReason
    staged = status.stagedByUser.map(\.text)
    missing = status.missing.map(\.text)
    owed = status.pendingWeather.map(\.text)
    review = status.review.map(\.text)
    conflict_copies = status.conflictCopies.map(\.path.text)
    sync = status.sync.map { SyncJSON($0) }
    last_save = status.lastSave.flatMap { EntryDate(instant: $0, offset: 0)?.description }
  }

  enum CodingKeys: CodingKey {
    case journal, entries, watching, branch, unsaved, pending, waiting, staged, missing, owed
    case review, conflict_copies, last_save, sync
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(journal, forKey: .journal)
    try values.encode(entries, forKey: .entries)
    try values.encode(watching, forKey: .watching)
    try values.encode(branch, forKey: .branch)
    try values.encode(unsaved, forKey: .unsaved)
    try values.encode(pending, forKey: .pending)
    try values.encode(waiting, forKey: .waiting)
    try values.encode(staged, forKey: .staged)
    try values.encode(missing, forKey: .missing)
    try values.encode(owed, forKey: .owed)
    try values.encode(review, forKey: .review)
    try values.encode(conflict_copies, forKey: .conflict_copies)
    try values.encode(last_save, forKey: .last_save)
    try values.encode(sync, forKey: .sync)
  }
}

/// The sync status in `status --json`.
package struct SyncJSON: Encodable {
  let remote: String
  let url: String
  let last_fetch: String?
  let last_push: String?
  let unsent: Int
  let waiting: [String]
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
    waiting = sync.pendingCheckouts.map(\.path.text)
    kept_both = sync.keptBoth.map(\.text)
    trouble = sync.error
    hint = sync.hint
  }

  enum CodingKeys: CodingKey {
    case remote, url, last_fetch, last_push, unsent, waiting, kept_both, trouble, hint
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(remote, forKey: .remote)
    try values.encode(url, forKey: .url)
    try values.encode(last_fetch, forKey: .last_fetch)
    try values.encode(last_push, forKey: .last_push)
    try values.encode(unsent, forKey: .unsent)
    try values.encode(waiting, forKey: .waiting)
    try values.encode(kept_both, forKey: .kept_both)
    try values.encode(trouble, forKey: .trouble)
    try values.encode(hint, forKey: .hint)
  }
}
