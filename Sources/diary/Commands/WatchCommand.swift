import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization
import Synchronization

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "watch", abstract: localized("Save every change automatically, until interrupted."),
    discussion: localized("Ctrl-C, or stopping the service, saves pending changes first."))

  @Flag(
    help: ArgumentHelp(
      localized("Also sync with the git remote, after each commit and every few minutes.")))
  var sync = false
  @Flag(
    help: ArgumentHelp(
      localized("Start the watcher now and at each login, as a user service.")))
  var install = false
  @Flag(help: ArgumentHelp(localized("Stop and remove that service.")))
  var uninstall = false
  @Flag(
    help: ArgumentHelp(
      localized("Wait for a missing journal, for example until its disk is mounted.")))
  var wait = false
  @Flag(name: [.short, .long], help: ArgumentHelp(localized("Also log when the watcher ends.")))
  var verbose = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if install, uninstall {
      throw ValidationError(localized("choose one of --install and --uninstall"))
    }
  }

  func run() async throws {
    if install || uninstall { return try await configureService() }
    // A closed log must not end the watcher.
    signal(SIGPIPE, SIG_IGN)
    // `diary lock` may ask before the journal is open; it can be asked again.
    signal(SIGUSR1, SIG_IGN)
    let program = ProgramFile(at: RuntimeEnvironment.current().executableDirectory + "/diary")
    let journal = try openJournal()
    if sync { try await journal.remote.requireSyncConsent() }
    let log = WatchLog(isQuiet: common.quiet, isVerbose: verbose)
    let autosave = try Autosave(
      journal, shouldSync: sync, program: program, on: MainThreadExecutor.main
    ) {
      log.write($0)
    }
    let sources = Interruptible.onSignal { _ in autosave.stop() }
    let mustLetGo = Atomic(false)
    let lockSource = Interruptible.onLock {
      mustLetGo.store(true, ordering: .relaxed)
      autosave.stop()
    }
    do { try await autosave.run() } catch {
      // gocryptfs may also have ended by itself.
      guard mustLetGo.load(ordering: .relaxed) || (try? AvailableFolder(journal.root)) == nil
      else { throw error }
      Console.printError(DiaryError(error))
      try letGo(of: journal.root)
    }
    withExtendedLifetime((sources, lockSource)) {}
    if mustLetGo.load(ordering: .relaxed) { try letGo(of: journal.root) }
    if let program, await autosave.isReplaced { try restart(as: program) }
  }

  /// Opens the journal; with `--wait`, as soon as it exists.
  private func openJournal() throws -> Journal {
    let environment = RuntimeEnvironment.current()
    let root = JournalFinder.location(named: try common.folder(environment), environment)
    while wait {
      AvailableFolder.waitForJournal(at: root) { isLocked in
        common.printNotice(
          isLocked
            ? localized("\(Console.escaped(root)) is locked; waiting for `diary unlock`")
            : localized(
              "waiting for \(Console.escaped(root)); if the journal has moved, run `diary watch "
                + "--install` in its new folder"))
      }
      // It may have been locked since.
      do { return try common.open(writing: true) } catch let error as DiaryError
        where error.kind == .locked
      {}
    }
    return try common.open(writing: true)
  }

  /// Closes the journal, and waits until it is unlocked.
  private func letGo(of root: String) throws -> Never {
    let options = [("--sync", sync), ("--verbose", verbose), ("--quiet", common.quiet)]
    try EncryptedFolder.letGo(
      continuingWith: [
        RuntimeEnvironment.current().executableDirectory + "/diary", "watch", "--wait", "--journal",
        root,
      ] + options.filter(\.1).map(\.0))
  }

  /// Replaces this process by the program that an upgrade has installed.
  private func restart(as program: ProgramFile) throws {
    common.printNotice(localized("Diary was upgraded; the new version continues"))
    var arguments = ([program.path] + (try CommandArguments.arguments())).map { strdup($0) }
    arguments.append(nil)
    execv(program.path, &arguments)
    throw DiaryError(
      localized("\(program.path) cannot be run: \(String(cString: strerror(errno)))"))
  }

  private func configureService() async throws {
    let journal = try common.open(writing: true)
    let service = WatchInstallation(of: journal)
    if uninstall {
      let files = try await service.uninstall()
      for file in files { Console.print(localized("Removed \(Console.escapedOnTerminal(file))")) }
      if files.isEmpty { common.printNotice(localized("No service of this journal is installed.")) }
      return
    }
    if sync { try await journal.remote.requireSyncConsent() }
    let installed = try await service.install(sync: sync)
    Console.print(Console.escapedOnTerminal(installed.file))
    common.printNotice(
      paragraph: installed.starter == .systemd
        ? localized(
          "The watcher is running and starts at each login. `loginctl enable-linger` "
            + "keeps it running while you are logged out; `journalctl --user -u 'diary*'` "
            + "shows its log.")
        : localized(
          "systemd is not available for your user here, so the desktop starts the "
            + "watcher at each login. To start it now: diary watch"))
  }
}

/// The watcher's log: one line for each event, which begins with the time.
struct WatchLog: Sendable {
  let isQuiet: Bool
  let isVerbose: Bool

  func write(_ event: WatchEvent) {
    guard let text = text(of: event) else { return }
    if isQuiet, !isProblem(event) { return }
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    let clock = [local.tm_hour, local.tm_min, local.tm_sec].map {
      ($0 < 10 ? "0" : "") + String($0)
    }
    Console.printNotice(clock.joined(separator: ":") + "  " + text)
  }

  private func isProblem(_ event: WatchEvent) -> Bool {
    switch event {
    case .error, .reopened, .commitDeferred, .missing, .skipped, .conflictCopies, .indexRepaired,
      .syncFailed:
      true
    // Polling delays saves.
    case .started(_, let polling): polling != nil
    default: false
    }
  }

  private func text(of event: WatchEvent) -> String? {
    func names(_ paths: [String]) -> String {
      let shown = paths.prefix(3).map(Console.escaped).joined(separator: ", ")
      return paths.count > 3 ? localized("\(shown) and \(paths.count - 3) more") : shown
    }
    switch event {
    case .started(let root, let polling):
      return localized(
        "watching \(Console.escaped(root)) (\(Console.escaped(polling ?? "inotify")))")
    case .reopened(let root):
      return localized("\(Console.escaped(root)) is back; the watcher continues")
    case .saved(let paths): return localized("saved \(names(paths.map(\.text)))")
    case .moved(let paths):
      let pairs = paths.sorted { $0.key < $1.key }
      let renames = names(pairs.map { localized("\($0.key.text) to \($0.value.text)") })
      return localized("moved \(renames)")
    case .deleted(let paths): return localized("saved as deleted: \(names(paths.map(\.text)))")
    case .committed(let id, let message, _):
      let subject = message.split(separator: "\n").first.map(String.init) ?? ""
      return localized("committed \(id.prefix(7)) \(Console.escaped(subject))")
    case .stamped(let path, let weather):
      guard let weather else { return localized("added the date to \(Console.escaped(path.text))") }
      return localized("added the weather to \(Console.escaped(path.text)): \(weather)")
    case .commitDeferred(let reason):
      return
        localized(
          "commits are on hold "
            + "(\(Console.escaped(reason.message))); saves continue"
        )
    case .missing(let paths):
      return localized("missing, not recorded as deleted: \(names(paths.map(\.text)))")
    case .skipped(let left):
      return left.map { localized("not saved: \(Console.escaped($0.path.text)) \($0.reason)") }
        .joined(separator: "; ")
    case .conflictCopies(let copies):
      return localized(
        "conflict copy, not saved: \(names(copies.map(\.path.text))); hint: `diary check --fix` merges "
          + "it into its entry")
    case .stagedByUser(let paths):
      return localized("staged by you, not committed by Diary: \(names(paths.map(\.text)))")
    case .indexRepaired(let what): return Console.escaped(what)
    case .syncRecovered(let remote): return localized("syncing with \"\(Console.escaped(remote))\"")
    case .synced(let outcome):
      return SyncReport.summary(outcome).prefix(1).lowercased()
        + SyncReport.summary(outcome).dropFirst()
    case .filesUpdated(let paths):
      return localized("updated from the remote: \(names(paths.map(\.text)))")
    case .syncFailed(let error):
      return localized("sync failed, will retry: \(Console.escaped(error.message))")
        + (error.hint.map { localized("; hint: \(Console.escaped($0))") } ?? "")
    case .error(let error): return Console.text(of: error, isStyled: false)
    case .editorFileChanged, .savedByOthers: return nil
    case .ended: return isVerbose ? localized("ended") : nil
    }
  }
}
