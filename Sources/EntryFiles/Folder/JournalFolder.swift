// EntryFiles: the files in the journal's folder. Only this module reads or writes the bytes of
// entries; DiaryKit calls it. Files are opened beneath the root's descriptor without following
// links. Writes are atomic and durable, and never overwrite anything that was not read. DiaryCore
// parses entries; this module does not, and it does not use git. It removes only files that a
// caller names and its own hidden files.

import CLinux
import DiaryCore
import Glibc
import Synchronization

/// A journal's folder, held open: it remains the same folder even if it is renamed.
package final class JournalFolder: Sendable {
  /// The path of the folder, as given.
  package let root: String

  /// The folders with saved files, by percent-encoded path, as Diary saw them.
  let knownFolders: @Sendable () -> [String: KnownFolder]
  let rootDescriptor: Int32
  let rootDevice: UInt64
  /// Devices of folders that are on another file system than the root; see ``presence(of:)``.
  let foreignDevices = Mutex<[EntryPath: UInt64]>([:])
  /// The texts that were written and not yet saved; see ``takeWrittenText(at:)``.
  let writtenTexts = Mutex<[EntryPath: WrittenText]>([:])

  /// Opens the folder. A link is followed here, but not beneath the folder.
  package init(
    root: String, knownFolders: @escaping @Sendable () -> [String: KnownFolder] = { [:] }
  ) throws(FileError) {
    let descriptor = retryOnInterrupt { Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw FileError(.open, root, code: errno) }
    self.root = root
    self.knownFolders = knownFolders
    rootDescriptor = descriptor
    var status = stat()
    rootDevice = fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : 0
  }

  deinit { close(rootDescriptor) }

  /// True if the path still leads to this folder.
  package var isInPlace: Bool {
    var (open, named) = (stat(), stat())
    return fstat(rootDescriptor, &open) == 0 && open.st_nlink > 0 && stat(root, &named) == 0
      && FileIdentity(open) == FileIdentity(named)
  }
}
