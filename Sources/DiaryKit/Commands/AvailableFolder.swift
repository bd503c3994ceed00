import FolderWatch
import Foundation
import Localization

/// The folder of a journal that is not locked: only in such a folder is a journal opened or made.
package struct AvailableFolder: Sendable {
  package let path: String

  /// Throws if the folder at the absolute path is locked (``DiaryError/Kind/locked``).
  package init(_ path: String, _ environment: RuntimeEnvironment) throws(DiaryError) {
    let folder = EncryptedFolder(path)
    func command(_ name: String) -> String { Self.command(name, for: path, environment) }
    switch folder.state {
    case .plain where folder.isBetweenNames:
      throw DiaryError(
        localized("the encryption of the journal in \(path) was interrupted"), kind: .locked,
        hint: localized("`\(command("encrypt"))` goes on; nothing is lost"))
    case .plain where folder.isAway(environment):
      throw DiaryError(
        localized("the encrypted files of the journal in \(path) are away"), kind: .locked,
        details: [folder.settingsFile],
        hint: localized(
          "mount their disk, or bring them back, then `\(command("unlock"))`; if there is no such journal any "
            + "more, remove its line in \(EncryptedFolder.knownFolders(environment))"))
    case .plain where folder.hasRepositoryInTheWay(environment):
      try folder.requireNoOtherFiles()
      self.path = path
    case .plain, .unlocked: self.path = path
    case .locked:
      throw DiaryError(
        localized("the journal in \(path) is locked"), kind: .locked,
        hint: "`\(command("unlock"))`")
    case .dead:
      throw DiaryError(
        localized(
          "the journal in \(path) is locked, but not cleanly: gocryptfs has ended, or does not find "
            + "its files"),
        kind: .locked,
        hint: localized(
          "`\(command("lock"))` clears its folder, then `\(command("unlock"))`"))
    case .moved(let other):
      throw DiaryError(
        localized("the journal in \(path) is unlocked, but its folder has another name: \(other)"),
        kind: .locked,
        hint: folder.isEncrypted
          ? localized("`\(command("lock"))`, then `\(command("unlock"))` shows it in its place")
          : localized(
            "its encrypted files are there, too: `diary lock --journal \(shellWord(other))`, then "
              + "`diary unlock --journal \(shellWord(other))`")
      )
    }
  }
}

extension AvailableFolder {
  /// A command for the journal at a path, also where it would find another one by itself.
  package static func command(
    _ name: String, for path: String, _ environment: RuntimeEnvironment
  ) -> String {
    let words = "diary \(name)"
    return EncryptedFolder(path).isFoundByItself(environment)
      ? words : "\(words) --journal \(shellWord(path))"
  }
}

extension EncryptedFolder {
  /// True if a command without `--journal` finds this journal, in any shell that works where this
  /// process does.
  fileprivate func isFoundByItself(_ environment: RuntimeEnvironment) -> Bool {
    var environment = environment
    environment.variables["DIARY_JOURNAL"] = nil
    return EncryptedFolder(JournalFinder.location(named: nil, environment)).root == root
  }
}

extension AvailableFolder {
  /// Throws also if a folder above is locked, where a new journal would be hidden or in the way, and for
  /// a folder among encrypted files.
  init(forNew path: String, _ environment: RuntimeEnvironment) throws(DiaryError) {
    self = try AvailableFolder(path, environment)
    var above = EncryptedFolder(path).root
    while above != "/" {
      // Each folder of encrypted files has one.
      guard !JournalFinder.exists(above + "/gocryptfs.diriv") else {
        throw DiaryError(
          localized("\(path) is among the encrypted files in \(above)"),
          hint: localized("choose another folder"))
      }
      above = EncryptedFolder((above as NSString).deletingLastPathComponent).root
      _ = try AvailableFolder(above, environment)
    }
  }

  /// Blocks until there is a journal at the path, for example until its disk is mounted. While it is
  /// locked, nothing wakes the process but a mount.
  ///
  /// - Parameter onWait: called when the wait begins, and when the journal is locked from then on.
  package static func waitForJournal(
    at root: String, _ environment: RuntimeEnvironment, onWait: (_ isLocked: Bool) -> Void
  ) {
    // After `lock` has asked a watcher to let go, the folder is there for a moment.
    EncryptedFolder(root).waitForTurn()
    let mounts = MountChanges()
    var (pause, wasLocked) = (1, Bool?.none)
    while true {
      // The kernel still has the names of a folder whose gocryptfs has ended for a moment.
      let isLocked = (try? AvailableFolder(root, environment)) == nil
      if !isLocked, JournalFinder.exists(root + "/.diary") { return }
      if wasLocked != isLocked { onWait(isLocked) }
      wasLocked = isLocked
      mounts.wait(atMost: isLocked ? nil : pause)
      pause = min(pause * 2, 30)
    }
  }
}
