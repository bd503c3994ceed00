import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "status", abstract: localized("Show unsaved changes, pending commits and sync."))

  @Flag(help: ArgumentHelp(localized("Print JSON.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let status = try await common.open().status()
    if json { return Console.say(json: try EntryJSON.encoded(StatusJSON(status))) }
    let locale = ReaderLocale()
    Console.say(
      styled: Console.styled(Console.shown(status.root), .bold) + "  "
        + counted(status.entries, "entry", "entries"))
    row(
      localized("watcher"),
      status.watcher.map { localized("running (\($0))") }
        ?? localized("off; `diary watch` starts it"))
    row(
      localized("last save"), status.lastSave.map { locale.text(of: $0) } ?? localized("none yet"))
    row(localized("weather"), status.weather + (status.weatherTrouble.map { "; " + $0 } ?? ""))
    row(localized("branch"), status.branch)
    if let sync = status.sync { tell(sync, locale) }
    rows(localized("unsaved"), status.unsaved)
    if let since = status.pendingSince {
      row(
        localized("not committed"),
        localized(
          "\(counted(status.pending.count, "file", "files")), since \(locale.text(of: since))"))
    }
    if let waiting = status.waiting {
      let since = status.waitingSince.map { localized(", since \(locale.text(of: $0))") } ?? ""
      row(
        localized("commits"), localized("on hold: \(DeferredCommit.message(of: waiting))\(since)"))
    }
    rows(localized("staged by you"), status.stagedByWriter)
    rows(localized("missing"), status.missing)
    rows(localized("to review"), status.review)
    rows(localized("needs weather"), status.owed)
    rows(localized("not saved"), status.skipped.map { "\($0.path.text) \($0.reason)" })
    rows(
      localized("conflict copy"),
      status.conflictCopies.map { localized("\($0.path.text) of \($0.original.text)") })
    if !status.conflictCopies.isEmpty { common.remark(SaveReport.conflictCopyHint) }
    SaveReport.missing(files: status.missing.count, common)
  }

  private func tell(_ sync: SyncStatus, _ locale: ReaderLocale) {
    row(localized("remote"), sync.remote + "  " + sync.url)
    let last = [
      sync.fetched.map { localized("fetched \(locale.text(of: $0))") },
      sync.pushed.map { localized("pushed \(locale.text(of: $0))") },
    ].compactMap(\.self)
    row(localized("last sync"), last.isEmpty ? localized("none yet") : last.joined(separator: ", "))
    if sync.unsent > 0 { row(localized("to push"), counted(sync.unsent, "commit", "commits")) }
    if let trouble = sync.trouble {
      let since = sync.troubleSince.map { localized(", since \(locale.text(of: $0))") } ?? ""
      row(localized("sync problem"), trouble + since + (sync.hint.map { "; " + $0 } ?? ""))
    }
    rows(localized("to update"), sync.waiting.map { "\($0.path.text) \($0.reason)" })
  }

  private func row(_ name: String, _ text: String) {
    let line = "  " + name + EntryTable.blanks(15 - displayWidth(name)) + Console.shown(text)
    let lines =
      Console.isTerminal ? TextWrapper.wrapped(line, width: Console.width, indent: 17) : [line]
    for line in lines { Console.say(line) }
  }

  private func rows(_ name: String, _ paths: [EntryPath]) { rows(name, paths.map(\.text)) }

  private func rows(_ name: String, _ texts: [String]) {
    for (index, text) in texts.prefix(10).enumerated() { row(index == 0 ? name : "", text) }
    if texts.count > 10 { row("", localized("and \(texts.count - 10) more")) }
  }
}

/// `status --json`: the public form.
struct StatusJSON: Encodable {
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

  init(_ status: JournalStatus) {
    journal = status.root
    entries = status.entries
    watching = status.watcher != nil
    branch = status.branch
    unsaved = status.unsaved.map(\.text)
    pending = status.pending.map(\.text)
    waiting = status.waiting
    staged = status.stagedByWriter.map(\.text)
    missing = status.missing.map(\.text)
    owed = status.owed.map(\.text)
    review = status.review.map(\.text)
    conflict_copies = status.conflictCopies.map(\.path.text)
    sync = status.sync.map { SyncJSON($0) }
    last_save = status.lastSave.flatMap { EntryDate(instant: $0, offset: 0)?.description }
  }

  enum CodingKeys: CodingKey {
    case journal, entries, watching, branch, unsaved, pending, waiting, staged, missing, owed
    case review, conflict_copies, last_save, sync
  }

  func encode(to encoder: any Encoder) throws {
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

/// The exchange with the remote in `status --json`.
struct SyncJSON: Encodable {
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
    waiting = sync.waiting.map(\.path.text)
    kept_both = sync.keptBoth.map(\.text)
    trouble = sync.trouble
    hint = sync.hint
  }

  enum CodingKeys: CodingKey {
    case remote, url, last_fetch, last_push, unsent, waiting, kept_both, trouble, hint
  }

  func encode(to encoder: any Encoder) throws {
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
