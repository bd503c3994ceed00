import DiaryCore
import FolderWatch
import Foundation
import Glibc
import Localization

/// A journal's folder that can be locked: its files are in `FOLDER.locked`, encrypted by gocryptfs,
/// which shows them in FOLDER while it is unlocked.
package struct EncryptedFolder: Sendable {
  /// The journal's folder, as the kernel names it: no link leads to it.
  package let root: String

  /// - Parameter root: an absolute path, which may contain links.
  package init(_ root: String) {
    let parent = (root as NSString).deletingLastPathComponent
    let name = (root as NSString).lastPathComponent
    self.root = Self.realPath(root) ?? Self.realPath(parent).map { $0 + "/" + name } ?? root
  }

  private static func realPath(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// True for the folder and everything in it.
  package func contains(_ path: String) -> Bool {
    let path = Self.realPath(path) ?? path
    return path == root || path.hasPrefix(root + "/")
  }

  /// The folder of the encrypted files.
  package var cipherFolder: String { root + ".locked" }
  /// gocryptfs's own settings, with the encrypted key.
  package var settingsFile: String { cipherFolder + "/gocryptfs.conf" }
  /// The file on which a watcher holds its lock, outside of the unlocked folder. A new password replaces
  /// the settings, but never this one, which folders without encrypted names do not have.
  var watchedFile: String {
    let names = cipherFolder + "/gocryptfs.diriv"
    return JournalFinder.exists(names) ? names : settingsFile
  }

  /// The folder in which `encrypt` gathers the files of a plain journal.
  var unfinishedCopy: EncryptedFolder { EncryptedFolder(root + ".diary-encrypt") }

  /// True if `encrypt` was interrupted after the plain folder has got another name.
  var isBetweenNames: Bool {
    !JournalFinder.exists(root + "/.diary") && unfinishedCopy.isEncrypted
      && JournalFinder.isFolder(root + ".plain/.diary")
  }

  package enum State: Sendable, Equatable {
    /// The folder is not encrypted.
    case plain
    case locked
    case unlocked
    /// The folder is mounted, but gocryptfs has ended, or its files have got another path.
    case dead
    /// The files are shown in this other folder, because the folder was renamed.
    case moved(to: String)
  }

  package var state: State {
    // The kernel still has the attributes for a moment, so stat(2) would succeed.
    let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    let code = descriptor < 0 ? errno : 0
    close(descriptor)
    guard isEncrypted || code != 0 else { return .plain }
    // Another user's, even for root. Whoever opens the journal says so.
    if code == EACCES { return isEncrypted ? .unlocked : .plain }
    if code == 0, isMountPointOfGocryptfs(root) { return .unlocked }
    let mounts = gocryptfsMounts()
    // The kernel may still have names in it.
    if code != 0, mounts.contains(where: { $0.folder == root }) { return .dead }
    // A plain journal with a folder of that name beside it. Other files may have been written there
    // while it was locked.
    if hasPlainJournal { return .plain }
    if let other = mounts.first(where: { $0.encrypted == cipherFolder }) {
      return .moved(to: other.folder)
    }
    return isEncrypted ? .locked : .plain
  }

  private var hasPlainJournal: Bool {
    [".diary", ".git"].contains { JournalFinder.exists(root + "/" + $0) }
  }

  /// True if there is a folder of encrypted files, or one that cannot be looked at: its disk may be
  /// away.
  var isEncrypted: Bool {
    var status = stat()
    guard lstat(cipherFolder, &status) == 0 else { return false }
    if stat(settingsFile, &status) == 0 { return status.st_size > 0 }
    guard errno == ENOENT else { return errno != ENOTDIR }
    return stat(cipherFolder, &status) != 0
  }

  /// True if nothing can be written there: gocryptfs itself asks its files only when it must write.
  package var isReadOnly: Bool {
    [root, cipherFolder].contains { (path: String) in access(path, W_OK) != 0 && errno == EROFS }
  }

  /// True if gocryptfs locks the unlocked folder by itself as soon as nothing in it is open.
  var locksWhenIdle: Bool {
    state == .unlocked
      && Self.processes(showing: cipherNames).contains { $0.arguments.contains("-idle") }
  }

  /// The names that the folder of the encrypted files has, and had when it was unlocked.
  var cipherNames: Set<String> {
    Set(gocryptfsMounts().filter { $0.folder == root }.map(\.encrypted) + [cipherFolder])
  }

  /// The processes of gocryptfs that show the files of a folder. One lives for as long as anything shows
  /// them: after the folder is unmounted, too, if a container still has it. They are those of the
  /// folder's owner, or of root.
  ///
  /// - Parameter cipherNames: the names of the folder of encrypted files.
  static func processes(
    showing cipherNames: Set<String>
  ) -> [(process: Int32, arguments: [String])] {
    let identities = Set(cipherNames.compactMap(identity))
    // Another folder that gocryptfs shows may not answer.
    let others = networkMounts().filter { mount in
      !cipherNames.contains { $0.hasPrefix(mount + "/") }
    }
    func answers(_ path: String) -> Bool {
      !others.contains { path == $0 || path.hasPrefix($0 + "/") }
    }
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return numbers.compactMap { Int32($0) }.compactMap { process in
      let folder = "/proc/\(process)/"
      func words(_ name: String) -> [String] {
        let text = try? String(contentsOfFile: folder + name, encoding: .utf8)
        return (text ?? "").split(separator: "\0").map(String.init)
      }
      let program = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "exe")
      // A wrapper may start it under a longer name; the kernel marks one that an upgrade has replaced.
      guard ((program ?? "") as NSString).lastPathComponent.contains("gocryptfs") else {
        return nil
      }
      // It works in the root folder, but was started in this one.
      let place = words("environ").first { $0.hasPrefix("PWD=") }?.dropFirst("PWD=".count) ?? ""
      let arguments = words("cmdline")
      if !otherTasks.isDisjoint(with: arguments) { return nil }
      let paths = arguments.filter { !$0.hasPrefix("-") }
        .map { $0.hasPrefix("/") ? $0 : "\(place)/\($0)" }
      let path =
        paths.first(where: cipherNames.contains)
        ?? paths.filter(answers).first { path in
          // A bind mount gives the same folder another name.
          cipherNames.contains(realPath(path) ?? path)
            || identity(path).map(identities.contains) == true
        }
      var (user, owner) = (stat(), stat())
      guard let path, stat(folder, &user) == 0,
        user.st_uid == 0 || stat(path, &owner) != 0 || owner.st_uid == user.st_uid
      else { return nil }
      return (process, arguments)
    }
  }

  /// The options of gocryptfs with which it does not show the files of a folder.
  private static let otherTasks = Set(
    ["reverse", "fsck", "passwd", "init", "info"].flatMap { ["-" + $0, "--" + $0] })

  private static func identity(_ path: String) -> FileIdentity? {
    var status = stat()
    return stat(path, &status) == 0 ? FileIdentity(status) : nil
  }

  /// A file outside of the unlocked folder on which a process can hold a lock; `nil` if the folder
  /// is not one that locks. An open file in it would keep it from being locked.
  var lockableFile: String? { state == .unlocked ? watchedFile : nil }

  /// The program that syncs the encrypted files, which damages them; `nil` if there is none.
  var syncProgram: String? {
    guard state == .unlocked else { return nil }
    return FolderDetection.syncProgram(above: Self.realPath(cipherFolder) ?? cipherFolder)
  }

  /// The names in the folder, which is empty while it is locked.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] }

  // MARK: Known folders

  /// True if the folder was unlocked on this machine, and its encrypted files are not here: their disk
  /// may not be mounted. It looks like an empty folder, or like none.
  func isAway(_ environment: RuntimeEnvironment) -> Bool {
    !isEncrypted && !hasPlainJournal && isKnown(environment)
  }

  /// True if something has made a repository in the locked folder of a journal.
  func hasRepositoryInTheWay(_ environment: RuntimeEnvironment) -> Bool {
    isEncrypted && !JournalFinder.exists(root + "/.diary") && isKnown(environment)
  }

  /// The file with a line for each encrypted folder that was unlocked on this machine.
  static func knownFolders(_ environment: RuntimeEnvironment) -> String {
    environment.stateDirectory + "/encrypted-folders"
  }

  private func isKnown(_ environment: RuntimeEnvironment) -> Bool {
    let text = try? String(contentsOfFile: Self.knownFolders(environment), encoding: .utf8)
    // Names that differ only in how `é` is spelled are different names.
    return text?.utf8.split(separator: 0x0A).contains { $0.elementsEqual(root.utf8) } == true
  }

  /// Adds the folder to the known ones. Without it, only ``isAway(_:)`` does not work.
  func remember(_ environment: RuntimeEnvironment) {
    guard !isKnown(environment), !root.contains("\n") else { return }
    try? FileManager.default.createDirectory(
      atPath: environment.stateDirectory, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let descriptor = open(
      Self.knownFolders(environment), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try? file.write(contentsOf: Data((root + "\n").utf8))
  }

  /// Removes the folder from the known ones.
  func forget(_ environment: RuntimeEnvironment) {
    let path = Self.knownFolders(environment)
    guard let text = try? String(contentsOfFile: path, encoding: .utf8), isKnown(environment)
    else { return }
    let others = text.split(separator: "\n").filter { !$0.utf8.elementsEqual(root.utf8) }
      .map { $0 + "\n" }.joined()
    try? others.write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Throws if the unlocked folder's repository is elsewhere, where it would be plain text.
  func requireInside(_ gitDirectory: String) throws(DiaryError) {
    guard state == .unlocked, !contains(gitDirectory) else { return }
    throw DiaryError(
      localized("\(root) can be locked, but its git repository is elsewhere: \(gitDirectory)"),
      hint: localized(
        "every entry would be readable there; a journal that locks has a repository of its own"))
  }
}
