import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

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
      localized(
        "Wait for a missing journal, for example until its disk is mounted, and for another watcher to end."
      )))
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
    let folder = FileManager.default.currentDirectoryPath
    var first: Journal? = try openJournal(from: folder)
    // A folder in which a program works can be neither locked nor unmounted.
    chdir("/")
    let stop = StopRequest()
    let sources = Interruptible.onSignal { _ in stop.request() }
    let lockSource = Interruptible.onLock { stop.request(lettingGo: true) }
    defer { withExtendedLifetime((sources, lockSource)) {} }
    let root = first?.root ?? ""
    if EncryptedFolder(root).state == .unlocked { prepareToLetGo(of: root) }
    var (rest, isReplaced) = (WatcherRest?.none, false)
    repeat {
      do {
        let journal = try first.take() ?? Journal(root: root, environment: .current())
        (rest, isReplaced) = try await watch(journal, after: rest, program, stop)
      } catch {
        // gocryptfs may also have ended by itself.
        let isLocked = (try? AvailableFolder(root, .current())) == nil
        // A page that was faster after `unlock`.
        let isTaken = wait && Journal.watcher(of: root, .current()) != nil
        guard isLocked || stop.letsGo || isTaken else { throw error }
        if stop.ends { return }
        if !isTaken, !isLocked || rest == nil { Console.printError(DiaryError(error)) }
        try letGo(of: root)
      }
      if let rest {
        stop.arm { rest.stop() }
        await rest.waitForChange(on: MainThreadExecutor.main)
      }
    } while rest != nil
    if stop.letsGo { try letGo(of: root) }
    if let program, isReplaced { try restart(as: program, in: folder) }
  }

  /// Watches until something stops it, or until nothing may be open in the folder.
  private func watch(
    _ journal: Journal, after rest: WatcherRest?, _ program: ProgramFile?, _ stop: StopRequest
  ) async throws -> (rest: WatcherRest?, isReplaced: Bool) {
    var syncs = sync
    if sync, let refusal = try await journal.remote.syncRefusal() {
      // A service that was installed before must go on saving.
      guard wait else { throw refusal }
      if rest == nil { Console.printError(refusal) }
      syncs = false
    }
    // A log outlives the time in which the journal is unlocked.
    let hidesNames = isatty(STDERR_FILENO) == 0 && EncryptedFolder(journal.root).state == .unlocked
    let log = WatchLog(isQuiet: common.quiet, isVerbose: verbose, hidesNames: hidesNames)
    let autosave = try Autosave(
      journal, shouldSync: syncs, program: program, after: rest, on: MainThreadExecutor.main
    ) {
      log.write($0)
    }
    stop.arm { autosave.stop() }
    try await autosave.run()
    return await (autosave.rest, autosave.isReplaced)
  }

  /// Opens the journal; with `--wait`, as soon as it exists and nothing else watches it.
  private func openJournal(from folder: String) throws -> Journal {
    let environment = RuntimeEnvironment.current()
    let root = JournalFinder.location(named: try common.folder(environment), environment)
    let unlock = AvailableFolder.command("unlock", for: root, environment)
    while wait {
      chdir("/")
      AvailableFolder.waitForJournal(at: root, environment) { isLocked in
        common.printNotice(
          isLocked
            ? localized("\(Console.escaped(root)) is locked; waiting for `\(unlock)`")
            : localized(
              "waiting for \(Console.escaped(root)); if the journal has moved, run `diary watch "
                + "--install` in its new folder"))
      }
      if let other = Journal.watcher(of: root, environment) {
        common.printNotice(
          localized(
            "\(Console.escaped(root)) is already watched by \(other.process); waiting for its end"))
        other.waitForEnd()
        continue
      }
      // It may have been locked since.
      chdir(folder)
      do { return try common.open(writing: true, mayClose: true) } catch let error as DiaryError
        where error.kind == .locked
      {}
    }
    return try common.open(writing: true, mayClose: true)
  }

  /// Closes the journal, and waits until it is unlocked.
  private func letGo(of root: String) throws -> Never {
    // It can have been plain until `diary encrypt`.
    prepareToLetGo(of: root)
    try EncryptedFolder.letGo()
  }

  /// Prepares the process that waits until the journal is unlocked.
  private func prepareToLetGo(of root: String) {
    let options = [("--sync", sync), ("--verbose", verbose), ("--quiet", common.quiet)]
    EncryptedFolder.prepareToLetGo(
      continuingWith: [
        RuntimeEnvironment.current().executableDirectory + "/diary", "watch", "--wait", "--journal",
        root,
      ] + options.filter(\.1).map(\.0), after: 1)
  }

  /// Replaces this process by the program that an upgrade has installed.
  private func restart(as program: ProgramFile, in folder: String) throws {
    // The arguments may be relative to it.
    chdir(folder)
    common.printNotice(localized("Diary was upgraded; the new version continues"))
    var arguments = ([program.path] + (try CommandArguments.arguments())).map { strdup($0) }
    arguments.append(nil)
    execv(program.path, &arguments)
    throw DiaryError(
      localized("\(program.path) cannot be run: \(String(cString: strerror(errno)))"))
  }

  /// Removes the service of a journal, also of one that is locked or gone.
  private func removeService() async throws {
    let environment = RuntimeEnvironment.current()
    let root = JournalFinder.location(named: try common.folder(environment), environment)
    let journal = Result { try common.open(writing: true) }
    let service =
      (try? journal.get()).map(WatchInstallation.init(of:))
      ?? WatchInstallation(root: root, environment)
    let files = try await service.uninstall()
    for file in files { Console.print(localized("Removed \(Console.escapedOnTerminal(file))")) }
    guard files.isEmpty else { return }
    _ = try journal.get()
    common.printNotice(localized("No service of this journal is installed."))
  }

  private func configureService() async throws {
    if uninstall { return try await removeService() }
    let journal = try common.open(writing: true)
    let service = WatchInstallation(of: journal)
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
