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
    // A log outlives the time in which the journal is unlocked.
    let hidesNames = isatty(STDERR_FILENO) == 0 && EncryptedFolder(journal.root).state == .unlocked
    let log = WatchLog(isQuiet: common.quiet, isVerbose: verbose, hidesNames: hidesNames)
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
