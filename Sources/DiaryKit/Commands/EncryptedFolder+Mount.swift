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
    guard !isMountPointOfGocryptfs(root) else {
      throw DiaryError(
        localized("\(root) shows an encrypted folder already, which is not \(cipherFolder)"),
        hint: localized("`diary init` makes a journal in it, without --encrypted"))
    }
    var above = (root as NSString).deletingLastPathComponent
    while above != "/" {
      let folder = EncryptedFolder(above)
      guard !folder.isEncrypted || folder.state != .unlocked else {
        throw DiaryError(
          localized("\(root) is in a folder that is encrypted already: \(above)"),
          hint: localized("choose another folder for the journal"))
      }
      above = (above as NSString).deletingLastPathComponent
    }
    guard !JournalFinder.exists(cipherFolder) else {
      throw DiaryError(
        localized("\(cipherFolder) exists already"),
        hint: isEncrypted
          ? localized("`diary unlock`, then the same command again; or choose another folder")
          : localized("choose another folder for the journal"))
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
    try await waitForProcesses(showing: cipherNames)
    // An interrupted `unlock` may have shown them meanwhile, or have left a dead mount.
    if case .dead = state { _ = try AvailableFolder(root, environment) }
    if !JournalFinder.exists(root) {
      try FileManager.default.createDirectory(
        atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    // The folder below the shown one: while it is locked, no program may write plain text there.
    let below = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(below) }
    fchmod(below, 0o700)
    let seconds = JournalFinder.personalSettings(environment).lockWhenIdle
    let idle = seconds > 0 ? ["-idle", "\(Int((seconds * 1000).rounded(.up)))ms"] : []
    let command = ["gocryptfs", "-q"] + idle + ["--", cipherFolder, root]
    // Not cancelled halfway: gocryptfs would leave a folder that is mounted, and end.
    do {
      try await Task { _ = try await run(command, password, environment) }.value
    } catch {
      fchmod(below, 0o500)
      try requireEmpty(names(of: below))
      throw error
    }
    fchmod(below, 0o500)
    let written = names(of: below)
    if !written.isEmpty {
      // Nobody would find what another program has written there while gocryptfs started.
      let errors = try await Task { try await unmount(environment) }.value
      try requireEmpty(written, nil, errors)
    }
    guard Task.isCancelled else { return }
    let unmounting = Task { try await unmount(environment) }
    // If another program uses it already, it stays unlocked.
    if try await unmounting.value.isEmpty { throw CancellationError() }
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
    try requireEmpty(names)
  }

  private func requireEmpty(
    _ names: [String], _ message: String? = nil, _ errors: String = ""
  ) throws(DiaryError) {
    guard !names.isEmpty else { return }
    throw DiaryError(
      message ?? localized("\(root) is not empty, so the journal cannot be shown there"),
      details: names.sorted().prefix(10).map { "\(root)/\($0)" }
        + errors.split(separator: "\n").map(String.init),
      hint: localized(
        "another program has written there; `chmod u+w \(shellWord(root))`, then move these files "
          + "away"))
  }

  /// The names in a folder that another one may hide.
  private func names(of descriptor: CInt) -> [String] {
    let path = "/proc/self/fd/\(descriptor)"
    return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
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
    let turn = try await takeTurn()
    defer { withExtendedLifetime(turn) {} }
    let before = state
    guard before != .plain else { throw notEncrypted(environment) }
    let names = cipherNames
    // The files may be shown at several places: nothing changes before all of them are free.
    let places = gocryptfsMounts().filter { names.contains($0.encrypted) }.map(\.folder)
    for place in places { try await EncryptedFolder(place).releaseWhenSaved(environment) }
    var shown = before
    while shown != .locked, shown != .plain {
      let folder = if case .moved(let other) = shown { EncryptedFolder(other) } else { self }
      try await folder.releaseWhenSaved(environment) { try await folder.unmount(environment) }
      shown = state
    }
    chmod(root, 0o500)
    try await waitForProcesses(showing: names)
    try requireNoOtherFiles()
    return before != .locked
  }

  /// Throws for a locked folder that has plain files in it.
  func requireNoOtherFiles() throws(DiaryError) {
    try requireEmpty(
      names,
      localized("\(root) is locked, but there are other files in it, which are not encrypted"))
  }

  /// Waits until gocryptfs has ended, after the folder is unmounted. Throws if it goes on, because
  /// something else still shows the files.
  private func waitForProcesses(showing names: Set<String>) async throws {
    var processes = Self.processes(showing: names)
    for _ in 0..<150 where !processes.isEmpty {
      try await wait(for: .milliseconds(20))
      processes = Self.processes(showing: names)
    }
    guard !processes.isEmpty else { return }
    throw DiaryError(
      localized("\(root) is empty, but gocryptfs still shows the files elsewhere"),
      details: processes.map { "gocryptfs (\($0.process))" },
      hint: localized(
        "a program has a file open, or has mounts of its own, such as a container: end it, then try "
          + "again"))
  }

  private func releaseWhenSaved(
    _ environment: RuntimeEnvironment, _ action: () async throws -> String = { "" }
  ) async throws {
    if state != .dead { try await waitForSave(environment) }
    try await release(environment, action)
  }

  /// Asks watchers and pages to close the journal. When no program has anything open in the folder,
  /// does `action`, which returns its errors as a text, until there are none. Throws with the names of
  /// the programs that use the folder.
  func release(
    _ environment: RuntimeEnvironment, _ action: () async throws -> String = { "" }
  ) async throws {
    let isInside = contains(environment.currentFolder)
    let find = {
      FolderHolder.all(of: root).filter { !$0.isResting || $0.canLetGo(of: root, environment) }
    }
    var (holders, errors, attempt) = (find(), "", 0)
    let begin = ContinuousClock.now
    var end = begin + .seconds(2)
    while !isInside {
      if holders.isEmpty {
        errors = try await action()
        if errors.isEmpty { return }
      }
      let own = holders.filter { $0.canLetGo(of: root, environment) }
      // A watcher first saves, and commits.
      if !own.isEmpty { end = begin + .seconds(10) }
      // Once a second: a program that is just starting ignores the signal.
      if attempt % 10 == 0 { for holder in own { kill(holder.process, SIGUSR1) } }
      attempt += 1
      guard ContinuousClock.now < end else { break }
      try await wait(for: .milliseconds(100))
      holders = find()
    }
    throw DiaryError(
      localized("\(root) is in use, so it stays as it is"),
      details: holders.map { "\($0.name) (\($0.process)): \($0.paths[0])" }
        + errors.split(separator: "\n").map(String.init),
      hint: isInside
        ? localized("this terminal is in the folder; `cd` out of it first")
        : localized("end these programs, or leave the folder in them; then try again"))
  }

  /// The arguments of the shell that replaces this process.
  private nonisolated(unsafe) static var arguments: [UnsafeMutablePointer<CChar>?] = []

  /// Prepares ``letGo()``, which also happens by itself when gocryptfs is killed: to touch a file that
  /// the index has mapped into memory is then a SIGBUS.
  ///
  /// - Parameters:
  ///   - command: the program, and the arguments with which it waits until the journal is unlocked.
  ///   - pause: seconds before it starts, in case the cause of a SIGBUS is another one, and stays.
  package static func prepareToLetGo(continuingWith command: [String], after pause: Int) {
    let words = ["sh", "-c", "cd / && sleep \(pause); exec \"$@\"", "sh"] + command
    arguments = words.map { strdup($0) } + [nil]
    signal(SIGBUS) { _ in EncryptedFolder.replaceProcess() }
  }

  /// Replaces this process, which has been asked to let go of the journal, by one that waits until it
  /// is unlocked: a new process has nothing open in the folder, and does not work in it.
  package static func letGo() throws(DiaryError) -> Never {
    replaceProcess()
    throw DiaryError(localized("cannot run /bin/sh: \(String(cString: strerror(errno)))"))
  }

  /// Calls nothing that a handler of a signal may not call. Returns only if it fails.
  private static func replaceProcess() {
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    if !isIgnored(SIGHUP) { signal(SIGHUP, SIG_DFL) }
    // `lock` may ask once more.
    signal(SIGUSR1, SIG_IGN)
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    // Sockets, too: the page keeps its port. Closed by execv(2), when no other thread runs any more:
    // libdispatch ends the process if its own descriptors are closed under it.
    for descriptor in 3..<Int32(FD_SETSIZE) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    execv("/bin/sh", arguments)
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

  /// Waits for a running save. There is none on a read-only disk, or in a folder without a journal.
  private func waitForSave(_ environment: RuntimeEnvironment) async throws {
    guard !isReadOnly, let journal = try? Journal(root: root, environment: environment),
      JournalFinder.isFolder(journal.stateFolder)
    else { return }
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
