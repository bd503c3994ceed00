import CLinux
import DiaryCore
import Glibc

/// A folder inside the journal, as Diary saw it with saved files in it.
package struct KnownFolder: Codable, Hashable, Sendable {
  package let inode: UInt64
  /// The device; `nil` for that of the journal's folder. Device numbers may change at a restart.
  package let device: UInt64?
  /// True if it is the root of a mount, or was at any time.
  package let isMount: Bool

  /// This present state, with the knowledge of an earlier one: a mount stays one.
  package func following(_ was: KnownFolder?) -> KnownFolder {
    KnownFolder(inode: inode, device: device, isMount: isMount || was?.isMount ?? false)
  }

  /// True if `now` is not this folder: its mount is not there, or another folder has its path.
  package func isReplaced(by now: KnownFolder) -> Bool {
    isMount ? !now.isMount : inode != now.inode || device != now.device
  }
}

extension JournalFolder {
  /// The present state of a folder; `nil` if there is none.
  package func knownFolder(at path: EntryPath) -> KnownFolder? {
    let number = openBeneath(rootDescriptor, path.bytes, O_RDONLY | O_DIRECTORY)
    guard number >= 0 else { return nil }
    let directory = Descriptor(owning: number)
    var status = stat()
    guard fstat(directory.number, &status) == 0 else { return nil }
    let device = UInt64(status.st_dev)
    return KnownFolder(
      inode: UInt64(status.st_ino), device: device == rootDevice ? nil : device,
      isMount: isMountRoot(directory.number, device))
  }

  private func isMountRoot(_ directory: Int32, _ device: UInt64) -> Bool {
    let answer = diary_is_mount_root(directory)
    guard answer < 0 else { return answer == 1 }
    var parent = stat()
    return fstatat(directory, "..", &parent, 0) == 0 && UInt64(parent.st_dev) != device
  }

  /// True if the folder exists and contains no visible name.
  package func isEmptyFolder(_ path: EntryPath) -> Bool {
    let number = openBeneath(rootDescriptor, path.bytes, O_RDONLY | O_DIRECTORY)
    guard number >= 0 else { return false }
    let directory = Descriptor(owning: number)
    let names = listFolder(directory.number)
    return names?.allSatisfy { $0.name.first == UInt8(ascii: ".") } ?? false
  }

  /// The outermost folder above `path` that is away: it is empty, and not the folder in which Diary
  /// saw saved files.
  package func awayFolder(above path: EntryPath) -> EntryPath? {
    let known = knownFolders()
    guard !known.isEmpty else { return nil }
    for folder in path.folders {
      guard let was = known[folder.percentEncoded] else { continue }
      guard let now = knownFolder(at: folder) else { return nil }
      if was.isReplaced(by: now), isEmptyFolder(folder) { return folder }
    }
    return nil
  }

  /// Throws if a folder above one of the paths is away, so that nothing may be created in it.
  package func requireInPlace(
    _ paths: [EntryPath], for operation: FileError.Operation = .create
  ) throws(FileError) {
    var checked: Set<EntryPath> = []
    for path in paths {
      guard let folder = path.folder, checked.insert(folder).inserted else { continue }
      if let away = awayFolder(above: path) {
        throw FileError(operation, path.text, .away(folder: away.text))
      }
    }
  }
}

extension EntryPath {
  /// The folders above it, the outermost first.
  package var folders: [EntryPath] {
    var all: [EntryPath] = []
    var next = folder
    while let folder = next {
      all.append(folder)
      next = folder.folder
    }
    return all.reversed()
  }
}
