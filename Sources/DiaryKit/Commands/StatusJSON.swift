import DiaryCore

/// The public form of the status, for `status --json` and `/api/status`.
package struct StatusJSON: Encodable {
  let journal: String
  let locked = false
  let entries: Int
  let watcher: String
  let branch: String
  let unsaved: [String]
  let not_saved: [FileReason]
  let to_update: [FileReason]
  let pending: [String]
  @Nullable var on_hold: String?
  let staged: [String]
  let missing: [String]
  let owed: [String]
  let review: [String]
  let conflict_copies: [String]
  let unfinished: [String]
  @Nullable var last_save: String?
  let readable_by_others: Bool
  @Nullable var encrypted_files_synced_by: String?
  @Nullable var sync: SyncJSON?

  package init(_ status: JournalStatus) {
    journal = status.root
    entries = status.entries
    watcher = status.watcher == nil ? "off" : status.isWatcherSuspended ? "suspended" : "running"
    branch = status.branch
    unsaved = status.unsaved.map(\.text)
    not_saved = status.skipped.map(FileReason.init)
    to_update = status.toUpdate.map(FileReason.init)
    pending = status.pending.map(\.text)
    on_hold = status.deferReason?.englishText
    staged = status.stagedByUser.map(\.text)
    missing = status.missing.map(\.text)
    owed = status.queuedWeather.map(\.text)
    review = status.review.map(\.text)
    conflict_copies = status.conflictCopies.map(\.path.text)
    unfinished = status.unfinished.map(\.rawValue)
    readable_by_others = status.isReadableByOthers
    encrypted_files_synced_by = status.encryptedFilesSyncedBy
    sync = status.sync.map { SyncJSON($0) }
    last_save = status.lastSave.flatMap { EntryDate(instant: $0, offset: 0)?.description }
  }
}

/// `status --json` of a journal that is locked.
package struct LockedStatusJSON: Encodable {
  let journal: String
  let locked = true

  package init(journal: String) { self.journal = journal }
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
  @Nullable var last_fetch: String?
  @Nullable var last_push: String?
  let unsent: Int
  let kept_both: [String]
  @Nullable var trouble: String?
  @Nullable var hint: String?

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
}
