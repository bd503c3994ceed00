import FolderWatch
import Foundation
import GitHistory
import Glibc
import Localization

/// The way of a plain journal into an encrypted folder: its files are copied and compared, then the
/// plain folder gets another name, and the encrypted one takes its place. It can be started again after
/// any step.
package struct JournalEncryption: Sendable {
  package enum Step: Sendable {
    /// The journal is plain. A copy that may be there is unfinished.
    case copy
    /// The copy is whole, and the plain folder has its new name.
    case replace
    /// The encrypted folder is in its place.
    case compare
  }

  package let folder: EncryptedFolder
  /// The encrypted folder until it is whole.
  private let copy: EncryptedFolder
  private let environment: RuntimeEnvironment

  package init(_ root: String, _ environment: RuntimeEnvironment) {
    folder = EncryptedFolder(root)
    copy = folder.unfinishedCopy
    self.environment = environment
  }

  /// The new name of the plain folder.
  package var plainFolder: String { folder.root + ".plain" }

  /// The next step. Throws if the journal cannot be encrypted because of what is there.
  package func nextStep() throws(DiaryError) -> Step {
    if folder.state == .plain, JournalFinder.isFolder(folder.root + "/.diary") {
      for path in [plainFolder, folder.cipherFolder] where JournalFinder.exists(path) {
        throw DiaryError(
          localized("\(path) exists already"), hint: localized("move it away; nothing was changed"))
      }
      return .copy
    }
    if JournalFinder.isFolder(plainFolder + "/.diary") {
      if folder.isEncrypted { return .compare }
      if copy.isEncrypted, folder.names.isEmpty { return .replace }
    }
    guard folder.state == .plain else {
      throw DiaryError(localized("the journal in \(folder.root) is encrypted already"))
    }
    _ = try AvailableFolder(folder.root, environment)
    throw JournalFinder.noJournal(at: folder.root, environment)
  }

  // MARK: Checks

  /// Throws if the journal cannot be copied as it is.
  package func check(_ journal: Journal) throws {
    let root = folder.root
    try folder.requirePrograms(environment)
    let location = journal.gitLocation
    let hasOwnRepository =
      location.prefix == nil && location.gitDirectory == root + "/.git"
      && location.commonDirectory == location.gitDirectory
    guard hasOwnRepository else {
      throw refusal(
        localized("the journal in \(root) is a part of another repository, or a linked work tree"),
        [location.commonDirectory])
    }
    let trees =
      (try? FileManager.default.contentsOfDirectory(atPath: root + "/.git/worktrees")) ?? []
    guard trees.isEmpty else {
      throw refusal(localized("the repository has other work trees, which stay plain"), trees)
    }
    guard !JournalFinder.exists(root + "/.git/objects/info/alternates") else {
      throw refusal(
        localized("its repository uses objects of another one, which stays plain"),
        [".git/objects/info/alternates"],
        hint: localized("`git repack -a -d` copies them; then remove this file"))
    }
    let listing = try TreeListing(root)
    let links = listing.items.filter { path, item in
      item.kind == S_IFLNK && !staysInside(path, item.target)
    }
    guard links.isEmpty else {
      throw refusal(localized("links lead out of the journal"), links.keys.map(TreeListing.text))
    }
    let special = listing.items.filter { path, item in
      ![S_IFREG, S_IFDIR, S_IFLNK].contains(item.kind) && !isSocketOfPage(path, item)
    }
    guard special.isEmpty else {
      throw refusal(
        localized("pipes, sockets and devices cannot be copied"),
        special.keys.map(TreeListing.text))
    }
    let closed = listing.items.filter { path, item in
      let path = TreeListing.cString(root, path)
      return item.kind == S_IFDIR && access(path, R_OK | W_OK | X_OK) != 0
        || item.kind == S_IFREG && access(path, R_OK) != 0
    }
    guard closed.isEmpty else {
      throw refusal(
        localized("you may not read these files, or not write in these folders"),
        closed.keys.map(TreeListing.text),
        hint: localized("`chmod u+rwX` opens them; nothing was changed"))
    }
    guard listing.mounts.isEmpty, !isMountPoint(root) else {
      throw refusal(
        localized("another disk is mounted there"), listing.mounts.map(TreeListing.text))
    }
    var space = statvfs()
    let parent = (root as NSString).deletingLastPathComponent
    guard statvfs(parent, &space) == 0,
      Int(space.f_bavail) * Int(space.f_frsize) > listing.bytes + listing.bytes / 8 + (16 << 20)
    else {
      throw refusal(localized("there is too little space for a copy in \(parent)"), [])
    }
  }

  /// True for the socket of a page, which ends with it.
  private func isSocketOfPage(_ path: [UInt8], _ item: TreeListing.Item) -> Bool {
    item.kind == S_IFSOCK && path.starts(with: "/.git/diary/".utf8)
  }

  private func refusal(
    _ message: String, _ details: [String], hint: String = localized("nothing was changed")
  ) -> DiaryError {
    let shown = details.sorted().prefix(10).map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 }
    return DiaryError(
      localized("the journal cannot be encrypted: \(message)"), details: Array(shown), hint: hint)
  }

  private func staysInside(_ path: [UInt8], _ target: [UInt8]) -> Bool {
    let target = TreeListing.text(target)
    let place = (folder.root + TreeListing.text(path) as NSString).deletingLastPathComponent
    let full = target.hasPrefix("/") ? target : place + "/" + target
    // A link to nothing is compared by its words.
    return folder.contains(JournalFinder.exists(full) ? full : environment.absolutePath(of: full))
  }

  // MARK: Steps

  /// Copies the journal into a new encrypted folder, and compares. Watchers and pages have let go of
  /// it, and wait until the result is released.
  package func copyJournal(_ journal: Journal, password: [UInt8]) async throws -> FileHandle {
    let own = FileHandle(
      fileDescriptor: open(folder.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), closeOnDealloc: true)
    defer { withExtendedLifetime(own) {} }
    guard flock(own.fileDescriptor, LOCK_EX | LOCK_NB) == 0, try nextStep() == .copy else {
      throw DiaryError(
        localized("another `diary encrypt` is at work on \(folder.root)"),
        hint: localized("wait for it to end, then try again"))
    }
    try await removeUnfinishedCopy()
    try await copy.make(password: password, environment)
    let turn = try await copy.takeTurn()
    let lock: ProcessLock
    do {
      // A watcher that lets go saves first, and needs the lock for it.
      try await folder.release(environment)
      try journal.makeStateFolder()
      lock = try await journal.waitForLock("lock")
      // A page that was killed has left its socket.
      for (path, item) in try TreeListing(folder.root).items where isSocketOfPage(path, item) {
        unlink(folder.root + TreeListing.text(path))
      }
      try await copy.mount(password: password, environment)
      try await run(["cp", "-a", "-T", "--", folder.root, copy.root])
      try await requireSame(folder.root, copy.root)
      try await requireWholeRepository()
      try await run(["sync", "-f", "--", copy.cipherFolder])
      // Throws if a program has opened the plain folder meanwhile, for example to write.
      try await folder.release(environment)
    } catch {
      try? await removeUnfinishedCopy()
      throw error
    }
    defer { withExtendedLifetime(lock) {} }
    try await removeMountPoint()
    guard rename(folder.root, plainFolder) == 0 else {
      throw DiaryError.cannotWrite(plainFolder, errno)
    }
    try replace()
    return turn
  }

  /// Gives the copy the place of the journal.
  package func replace() throws {
    guard rename(copy.cipherFolder, folder.cipherFolder) == 0 else {
      throw DiaryError.cannotWrite(folder.cipherFolder, errno)
    }
  }

  /// Shows the encrypted folder in the place of the plain one.
  package func unlock(password: [UInt8]) async throws {
    try await folder.mount(password: password, environment)
    folder.remember(environment)
  }

  /// Throws if the encrypted journal lacks something that the plain folder has, or has it otherwise.
  /// The index, git's and Diary's, is another one as soon as the journal is used.
  package func compare() async throws {
    try await requireSame(plainFolder, folder.root) { path, item in
      let path = TreeListing.text(path.dropFirst())
      return item != nil && item?.kind != S_IFDIR && path != ".git/index"
        && !path.hasPrefix(".git/diary/")
    }
  }

  /// Removes the plain folder.
  package func removePlainFolder() async throws { try await remove(plainFolder) }

  /// Removes a folder, also with folders in it that nobody may change.
  private func remove(_ folder: String) async throws {
    // It fails for a folder that it cannot open; the removal then names that folder.
    _ = try? await run(
      ["find", folder, "-type", "d", "!", "-perm", "-700", "-exec", "chmod", "u+rwx", "{}", ";"])
    try FileManager.default.removeItem(atPath: folder)
  }

  /// Removes what an earlier run has left before the copy was whole.
  private func removeUnfinishedCopy() async throws {
    try await removeMountPoint()
    guard JournalFinder.exists(copy.cipherFolder) else { return }
    try await remove(copy.cipherFolder)
  }

  private func removeMountPoint() async throws {
    if copy.state == .unlocked || copy.state == .dead {
      let errors = try await copy.unmount(environment)
      guard errors.isEmpty else {
        throw DiaryError(
          localized("\(copy.root) is in use"),
          details: errors.split(separator: "\n").map(String.init))
      }
    }
    guard rmdir(copy.root) == 0 || errno == ENOENT else {
      throw DiaryError.cannotWrite(copy.root, errno)
    }
  }

  private func requireSame(
    _ one: String, _ other: String,
    where isCompared: ([UInt8], TreeListing.Item?) -> Bool = { _, _ in true }
  ) async throws {
    func findDifferences() throws -> [String] {
      let listing = try TreeListing(one)
      return try listing.differences(from: TreeListing(other))
        .filter { isCompared($0, listing.items[$0]) }
        .map { TreeListing.text($0.dropFirst()) }.sorted()
    }
    var differences = try findDifferences()
    // gocryptfs before 2.4 tells wrong sizes of hard links for a second.
    if !differences.isEmpty {
      try await wait(for: .milliseconds(1_200))
      differences = try findDifferences()
    }
    guard differences.isEmpty else {
      throw DiaryError(
        localized("\(other) differs from \(one)"), details: Array(differences.prefix(10)),
        hint: localized("a program may have written there; the plain files are in \(one)"))
    }
  }

  /// Throws if the repository of the copy is damaged, or has other refs.
  private func requireWholeRepository() async throws {
    try await run(["git", "-C", copy.root, "fsck", "--no-progress", "--no-dangling"])
    let refs = ["for-each-ref", "--format=%(objectname) %(refname) %(symref)"]
    let (one, other) = try await (
      run(["git", "-C", folder.root] + refs), run(["git", "-C", copy.root] + refs)
    )
    guard one == other else {
      throw DiaryError(
        localized("\(copy.root) differs from \(folder.root)"), details: [".git/refs"])
    }
  }

  @discardableResult
  private func run(_ command: [String]) async throws -> [UInt8] {
    let result = try await ProcessRunner(environment: environment).run(
      command, input: [], timeout: 86_400)
    guard let result, result.status == 0 else {
      throw DiaryError(
        localized("\(command[0]) failed with exit code \(result?.status ?? -1)"),
        details: (result?.errors ?? "").split(separator: "\n").prefix(10).map(String.init),
        hint: localized("the journal was not changed"))
    }
    return result.output
  }
}
