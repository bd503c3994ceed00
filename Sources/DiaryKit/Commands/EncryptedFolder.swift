import FolderWatch
import Foundation
import Glibc
import Localization

/// A journal's folder that can be locked: its files are in `FOLDER.locked`, encrypted by gocryptfs,
/// which shows them in FOLDER while it is unlocked.
package struct EncryptedFolder: Sendable {
  /// The journal's folder, an absolute path.
  package let root: String

  package init(_ root: String) { self.root = root }

  /// The folder of the encrypted files.
  package var cipherFolder: String { root + ".locked" }
  /// gocryptfs's own settings, with the encrypted key.
  package var settingsFile: String { cipherFolder + "/gocryptfs.conf" }

  package enum State: Sendable {
    /// The folder is not encrypted.
    case plain
    case locked
    case unlocked
    /// gocryptfs has ended without unmounting the folder.
    case dead
  }

  package var state: State {
    guard JournalFinder.exists(settingsFile) else { return .plain }
    // The kernel still has the attributes for a moment, so stat(2) would succeed.
    let descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0, errno == ENOTCONN { return .dead }
    // Another user's, even for root. Whoever opens the journal says so.
    if descriptor < 0, errno == EACCES { return .unlocked }
    close(descriptor)
    if fileSystem(mountedAt: root) == "fuse.gocryptfs" { return .unlocked }
    // A plain journal with a folder of that name beside it.
    return JournalFinder.exists(root + "/.diary") ? .plain : .locked
  }

  /// The names in the folder, which is empty while it is locked.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] }

  /// Keeps programs from writing into the folder while it is locked: they would write plain text,
  /// and gocryptfs shows nothing in a folder that is not empty. One that has files stays as it is.
  func protect() { if names.isEmpty { chmod(root, 0o500) } }
}
