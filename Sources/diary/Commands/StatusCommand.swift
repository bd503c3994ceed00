import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "status", abstract: localized("Show unsaved changes, pending commits and sync."))

  @Flag(help: ArgumentHelp(localized("Print JSON.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal: Journal
    do { journal = try common.open() } catch let error as DiaryError where error.kind == .locked {
      guard json else { throw error }
      let environment = RuntimeEnvironment.current()
      let root = JournalFinder.location(named: try common.folder(environment), environment)
      return Console.print(json: try EntryJSON.encoded(LockedStatusJSON(journal: root)))
    }
    var status = try await journal.status()
    if json {
      if let hint = status.sync?.hint { status.sync?.hint = Console.namingJournal(hint) }
      return Console.print(json: try EntryJSON.encoded(StatusJSON(status)))
    }
    let locale = UserLocale()
    Console.print(
      styled: Console.styled(Console.escapedOnTerminal(status.root), .bold) + "  "
        + counted(status.entries, "entry", "entries"))
    row(localized("watcher"), watcher(status))
    if let error = status.watcherError {
      row("", localized("since \(locale.text(of: error.since)): \(error.message)"))
    }
    if let service = status.service, service.root != status.root {
      row(
        "",
        localized(
          "its service is for \(service.root), the journal's old folder; `diary watch "
            + "--install` replaces it"))
    }
    let now = RuntimeEnvironment.current().now()
    row(
      localized("last save"),
      status.lastSave.map { locale.text(of: $0) + ", " + Self.age(now - $0) }
        ?? localized("none yet"))
    row(localized("weather"), status.weather + (status.weatherError.map { "; " + $0 } ?? ""))
    row(localized("branch"), status.branch)
    if let sync = status.sync { printSync(sync, locale) }
    rows(localized("to update"), status.toUpdate.map { "\($0.path.text) \($0.reason)" })
    rows(localized("unsaved"), status.unsaved)
    if !status.pending.isEmpty {
      row(localized("not committed"), counted(status.pending.count, "file", "files"))
    }
    if let deferReason = status.deferReason {
      let since = status.deferredSince.map { localized(", since \(locale.text(of: $0))") } ?? ""
      row(
        localized("commits"),
        localized("on hold: \(deferReason.message)\(since)"))
    }
    rows(localized("staged by you"), status.stagedByUser)
    rows(localized("missing"), status.missing)
    rows(localized("to review"), status.review)
    rows(localized("needs weather"), status.queuedWeather)
    rows(localized("not saved"), status.skipped.map { "\($0.path.text) \($0.reason)" })
    rows(localized("unfinished"), status.unfinished.map(Self.description(of:)))
    rows(
      localized("conflict copy"),
      status.conflictCopies.map { localized("\($0.path.text) of \($0.original.text)") })
    if status.isReadableByOthers {
      common.printNotice(
        localized(
          "diary: other users of this machine can read the journal\n"
            + "hint: `chmod o-rwx \(shellWord(status.root))` keeps them out"))
    }
    if let program = status.encryptedFilesSyncedBy {
      common.printNotice(
        localized(
          "diary: \(program) syncs the encrypted files, which can damage the journal\n"
            + "hint: lock it and move both folders elsewhere; `diary init --remote URL --sealed` syncs "
            + "it"))
    }
    if !status.conflictCopies.isEmpty { common.printNotice(SaveReport.conflictCopyHint) }
    SaveReport.printMissing(files: status.missing.count, common)
  }

  private func watcher(_ status: JournalStatus) -> String {
    if let watcher = status.watcher {
      return status.isWatcherSuspended
        ? localized("suspended (\(watcher)), so nothing is saved; `fg` or SIGCONT resumes it")
        : localized("running (\(watcher))")
    }
    guard let service = status.service, service.root == status.root else {
      return localized("off; `diary watch` starts it")
    }
    return localized(
      "installed by \(service.file), but not running; `diary watch --install` starts it")
  }

  private static func description(of work: UnfinishedWork) -> String {
    switch work {
    case .initialization:
      localized("`diary init` runs or was interrupted; run it again if it has ended")
    case .importing: localized("an import runs or was interrupted; import the same again")
    }
  }

  /// The age in its largest unit.
  private static func age(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: localized("just now")
    case ..<3600: counted(seconds / 60, "minute ago", "minutes ago")
    case ..<86_400: counted(seconds / 3600, "hour ago", "hours ago")
    default: counted(seconds / 86_400, "day ago", "days ago")
    }
  }

  private func printSync(_ sync: SyncStatus, _ locale: UserLocale) {
    row(
      localized("remote"), [sync.remote, sync.url].filter { !$0.isEmpty }.joined(separator: "  "))
    let last = [
      sync.fetched.map { localized("fetched \(locale.text(of: $0))") },
      sync.pushed.map { localized("pushed \(locale.text(of: $0))") },
    ].compactMap(\.self)
    row(localized("last sync"), last.isEmpty ? localized("none yet") : last.joined(separator: ", "))
    if sync.unsent > 0 { row(localized("to push"), counted(sync.unsent, "commit", "commits")) }
    if let error = sync.error {
      let since = sync.errorSince.map { localized(", since \(locale.text(of: $0))") } ?? ""
      // git adds lines that only repeat it.
      let reason = error.prefix { !$0.isNewline }
      row(localized("sync problem"), reason + since + (sync.hint.map { "; " + $0 } ?? ""))
    }
  }

  private func row(_ name: String, _ text: String) {
    let line =
      "  " + name + EntryTable.blanks(15 - displayWidth(name))
      + Console.escapedOnTerminal(Console.namingJournal(text))
    let lines =
      Console.isTerminal ? TextWrapper.lines(of: line, width: Console.width, indent: 17) : [line]
    for line in lines { Console.print(line) }
  }

  private func rows(_ name: String, _ paths: [EntryPath]) { rows(name, paths.map(\.text)) }

  private func rows(_ name: String, _ texts: [String]) {
    for (index, text) in texts.prefix(10).enumerated() { row(index == 0 ? name : "", text) }
    if texts.count > 10 { row("", localized("and \(texts.count - 10) more")) }
  }
}
