// EntryFiles: the journal's folder and the files in it. The only room that reads or writes an
// entry's bytes; DiaryKit calls it. Everything is opened beneath the root's descriptor without
// following links, every write is atomic and durable, and nothing is overwritten that was not read.
// It never decides what an entry means (DiaryCore does), never looks into git, and takes away only
// what a caller named and hidden files that it made itself.

import CLinux
import DiaryCore
import Glibc
import Synchronization

/// A journal's folder, held open: it stays the same folder though its name may change.
package final class JournalFolder: Sendable {
  /// The folder's name, as it was given.
  package let root: String

  let rootDescriptor: Int32
  let rootDevice: UInt64
  /// Devices of folders that lie on another file system than the root; see ``presence(of:)``.
  let foreignDevices = Mutex<[EntryPath: UInt64]>([:])

  /// Opens the folder; a link is followed here, and nowhere beneath.
  package init(root: String) throws(FileError) {
    let descriptor = retryOnInterrupt { Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw FileError(.open, root, code: errno) }
    self.root = root
    rootDescriptor = descriptor
    var status = stat()
    rootDevice = fstat(descriptor, &status) == 0 ? UInt64(status.st_dev) : 0
  }

  deinit { close(rootDescriptor) }

  /// Whether its name still means this folder.
  package var isInPlace: Bool {
    var (open, named) = (stat(), stat())
    return fstat(rootDescriptor, &open) == 0 && stat(root, &named) == 0
      && FileIdentity(open) == FileIdentity(named)
  }

  /// The file's absolute name, for programs that need one (an editor, the writer's git).
  package func absolutePath(of path: EntryPath) -> [UInt8] {
    Array(root.utf8) + (root.hasSuffix("/") ? [] : [UInt8(ascii: "/")]) + path.bytes
  }
}
