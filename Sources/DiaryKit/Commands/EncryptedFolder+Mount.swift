import DiaryCore
import FolderWatch
import Foundation
import Glibc
import Localization

extension EncryptedFolder {
  /// Throws unless gocryptfs and FUSE can be used.
  package func requirePrograms(_ environment: RuntimeEnvironment) throws(DiaryError) {
    let programs = ProcessRunner(environment: environment)
    guard programs.isOnPath("gocryptfs"), unmounter(programs) != nil else {
      throw DiaryError(
        localized("a journal that locks needs gocryptfs and FUSE, which are not installed"),
        hint: localized("on Debian: `sudo apt install gocryptfs fuse3`; nothing was changed"))
    }
    guard access("/dev/fuse", R_OK | W_OK) == 0 else {
      throw DiaryError(
        localized("a journal that locks needs FUSE, and /dev/fuse cannot be used here"),
        hint: localized("in a container, FUSE must be allowed from outside; nothing was changed"))
    }
  }

  private func unmounter(_ programs: ProcessRunner) -> String? {
    ["fusermount3", "fusermount"].first(where: programs.isOnPath)
  }

  /// Makes the folder of encrypted files with a password. The journal's folder must not exist, or be
  /// empty.
  package func make(password: [UInt8], _ environment: RuntimeEnvironment) async throws {
    try requirePrograms(environment)
    // A killed `init` leaves a folder without settings.
    if !JournalFinder.exists(settingsFile) {
      unlink(settingsFile + ".tmp")
      rmdir(cipherFolder)
    }
    guard !JournalFinder.exists(cipherFolder) else {
      throw DiaryError(
        localized("\(cipherFolder) exists already"),
        hint: localized("choose another folder for the journal"))
    }
    try JournalSetup.makePrivateFolder(AvailableFolder(cipherFolder, environment))
    do {
      try await run(
        ["gocryptfs", "-init", "-q", "--", cipherFolder], password, environment)
    } catch {
      unlink(settingsFile + ".tmp")
      rmdir(cipherFolder)
      throw error
    }
  }

  /// gocryptfs's master key, which opens the files without the password.
  package func masterKey(
    password: [UInt8], _ environment: RuntimeEnvironment
  ) async throws(DiaryError) -> String {
    let output = try await run(
      ["gocryptfs-xray", "-dumpmasterkey", settingsFile], password, environment)
    return output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Shows the files in the journal's folder, until nobody has used them for the time of the setting
  /// `unlock.lock_when_idle`. Throws with ``DiaryError/Kind/locked`` if the password is wrong.
  package func unlock(
    password: [UInt8], _ environment: RuntimeEnvironment
  ) async throws {
    let turn = try await takeTurn()
    defer { withExtendedLifetime(turn) {} }
    try requireUnlockable(environment)
    if state != .unlocked { try await mount(password: password, environment) }
    remember(environment)
  }

  /// Shows the files, in a folder that is locked.
  func mount(password: [UInt8], _ environment: RuntimeEnvironment) async throws {
    if !JournalFinder.exists(root) {
      try FileManager.default.createDirectory(
        atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // The folder below the shown one: while it is locked, no program may write plain text there.
    let below = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer {
      fchmod(below, 0o500)
      close(below)
    }
    fchmod(below, 0o700)
    let seconds = JournalFinder.personalSettings(environment).lockWhenIdle
    let idle = seconds > 0 ? ["-idle", "\(Int((seconds * 1000).rounded(.up)))ms"] : []
    try await run(["gocryptfs", "-q"] + idle + ["--", cipherFolder, root], password, environment)
  }

  /// Throws unless the locked folder can be unlocked.
  package func requireUnlockable(_ environment: RuntimeEnvironment) throws(DiaryError) {
    try requirePrograms(environment)
    switch state {
    case .plain: guard isEncrypted else { throw notEncrypted(environment) }
    case .dead, .moved: _ = try AvailableFolder(root, environment)
    case .locked: break
    case .unlocked: return
    }
    let names = names.sorted()
    guard names.isEmpty else {
      throw DiaryError(
        localized("\(root) is not empty, so the journal cannot be shown there"),
        details: names.prefix(10).map { "\(root)/\($0)" },
        hint: localized("another program has written there; move these files away"))
    }
  }

  private func notEncrypted(_ environment: RuntimeEnvironment) -> DiaryError {
    do { _ = try AvailableFolder(root, environment) } catch { return error }
    guard JournalFinder.isFolder(root + "/.diary") else {
      return JournalFinder.noJournal(at: root, environment)
    }
    return DiaryError(
      localized("the journal in \(root) is not one that locks"),
      hint: localized(
        "`diary encrypt` encrypts it; `diary init --encrypted FOLDER` makes a new one"))
  }

  /// The password that a command line prints: its first line.
  package static func password(
    from command: String, _ environment: RuntimeEnvironment
  ) async throws(DiaryError) -> [UInt8] {
    let result = try await ProcessRunner(environment: environment).run(
      ["/bin/sh", "-c", command], input: [], timeout: 120)
    let line = (result?.output ?? []).prefix { $0 != 0x0A }
    guard let result, result.status == 0, !line.isEmpty else {
      throw DiaryError(
        localized("the command for the password printed none: \(command)"),
        details: (result?.errors ?? "").split(separator: "\n").map(String.init))
    }
    return Array(line)
  }

  /// Runs a program of gocryptfs with the password on its standard input. Returns its output.
  @discardableResult
  private func run(
    _ command: [String], _ password: [UInt8], _ environment: RuntimeEnvironment
  ) async throws(DiaryError) -> String {
    // A session of its own: Ctrl-C in the terminal must not end the program that shows the files.
    let result = try await ProcessRunner(environment: environment).run(
      command, input: password + [0x0A], timeout: 120, ownSession: true)
    guard let result else { throw DiaryError(localized("\(command[0]) does not end")) }
    if result.status == 0 { return String(decoding: result.output, as: UTF8.self) }
    // The exit code of gocryptfs for it.
    if result.status == 12 { throw DiaryError(localized("the password is wrong"), kind: .locked) }
    let lines = result.errors.split(separator: "\n").filter { !$0.contains("Syslog") }
    throw DiaryError(
      localized("\(command[0]) failed with exit code \(result.status)"),
      details: lines.map(String.init))
  }

  // MARK: Lock

  /// Hides the files again. Waits for a running save, and asks a watcher to let go. Throws with the
  /// names of the programs that use the folder. Returns false if it was locked already.
  package func lock(_ environment: RuntimeEnvironment) async throws -> Bool {
    guard state != .plain else { throw notEncrypted(environment) }
    let turn = try await takeTurn()
    defer { withExtendedLifetime(turn) {} }
    switch state {
    case .plain: throw notEncrypted(environment)
    case .locked: return false
    case .unlocked, .dead: try await unmountWhenFree(environment)
    case .moved(let other): try await EncryptedFolder(other).unmountWhenFree(environment)
    }
    chmod(root, 0o500)
    return true
  }

  private func unmountWhenFree(_ environment: RuntimeEnvironment) async throws {
    if state != .dead { try await waitForSave(environment) }
    try await release(environment) { try await unmount(environment) }
  }

  /// Asks watchers and pages to close the journal. When no program has anything open in the folder,
  /// does `action`, which returns its errors as a text, until there are none. Throws with the names of
  /// the programs that use the folder.
  func release(
    _ environment: RuntimeEnvironment, _ action: () async throws -> String = { "" }
  ) async throws {
    let isInside = contains(environment.currentFolder)
    var holders = FolderHolder.all(of: root)
    var errors = ""
    let own = holders.filter { $0.canLetGo(of: root, environment) }
    if !isInside { for holder in own { kill(holder.process, SIGUSR1) } }
    // A watcher first saves, and commits.
    let end = ContinuousClock.now + .seconds(own.isEmpty ? 2 : 10)
    while !isInside {
      if holders.isEmpty {
        errors = try await action()
        if errors.isEmpty { return }
      }
      guard ContinuousClock.now < end else { break }
      try await wait(for: .milliseconds(100))
      holders = FolderHolder.all(of: root)
    }
    throw DiaryError(
      localized("\(root) is in use, so it stays as it is"),
      details: holders.map { "\($0.name) (\($0.process)): \($0.paths[0])" }
        + errors.split(separator: "\n").map(String.init),
      hint: isInside
        ? localized("this terminal is in the folder; `cd` out of it first")
        : localized("end these programs, or leave the folder in them; then try again"))
  }

  /// Replaces this process, which has been asked to let go of the journal, by one that waits until it
  /// is unlocked: a new process has nothing open in the folder, and does not work in it.
  package static func letGo(continuingWith command: [String]) throws(DiaryError) -> Never {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] {
      signal(number, SIG_DFL)
      sigaddset(&signals, number)
    }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    let words = ["sh", "-c", "cd / && exec \"$@\"", "sh"] + command
    var arguments = words.map { strdup($0) } + [nil]
    execv("/bin/sh", &arguments)
    throw DiaryError(localized("cannot run /bin/sh: \(String(cString: strerror(errno)))"))
  }

  /// Only one process locks or unlocks at a time, while the result is held.
  func takeTurn() async throws -> FileHandle {
    let descriptor = open(cipherFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let turn = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      try await wait(for: .milliseconds(50))
    }
    return turn
  }

  /// Blocks while another process locks, unlocks or encrypts.
  package func waitForTurn() {
    for folder in [unfinishedCopy.cipherFolder, cipherFolder] {
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      flock(descriptor, LOCK_SH)
      close(descriptor)
    }
  }

  private func waitForSave(_ environment: RuntimeEnvironment) async throws {
    // On a read-only disk there is none.
    if access(root, W_OK) != 0, errno == EROFS { return }
    guard let journal = try? Journal(root: root, environment: environment) else { return }
    _ = try await journal.waitForLock("lock")
  }

  /// Returns the errors of the program that unmounts; none if it has done so. Never lazily (`-z`):
  /// programs would go on writing, and nobody would see it.
  func unmount(_ environment: RuntimeEnvironment) async throws(DiaryError) -> String {
    let programs = ProcessRunner(environment: environment)
    let program = unmounter(programs) ?? "fusermount3"
    let result = try await programs.run([program, "-u", root], input: [], timeout: 60)
    guard let result else { return localized("\(program) does not end") }
    return result.status == 0 ? "" : result.errors + "\n"
  }
}
