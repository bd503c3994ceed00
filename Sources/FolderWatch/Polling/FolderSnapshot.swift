import CLinux
import DiaryCore
import Glibc

/// The files of the journal's folder as found by one scan.
struct FolderSnapshot {
  /// The status that shows a write; a program cannot set the change time back.
  struct FileStatus: Equatable {
    let size: Int64
    let modifiedSeconds: Int64
    let modifiedNanoseconds: Int64
    let changedSeconds: Int64
    let changedNanoseconds: Int64
    /// 0 on a FUSE file system, whose inodes may change.
    let inode: UInt64
    let type: UInt32
  }

  struct Changes: Equatable {
    var added: [EntryPath] = []
    var changed: [EntryPath] = []
    var removed: [EntryPath] = []
    /// Folders whose content ceased to be the journal's, or became it.
    var foreign: [EntryPath] = []
  }

  let identity: FileIdentity
  private(set) var files: [EntryPath: FileStatus] = [:]
  /// Folders that are other repositories or have encrypted files, and were not scanned.
  private(set) var foreign: Set<EntryPath> = []
  private let hasInodes: Bool

  /// Scans the folder; `nil` if it does not exist or cannot be opened.
  ///
  /// The content of a folder that cannot be read now is copied from the last scan, `before`, since
  /// it may still exist.
  init?(root: String, before: FolderSnapshot?) {
    let top: FolderDescriptor
    do throws(WatchError) { top = try FolderDescriptor(root: root) } catch { return nil }
    identity = top.identity
    hasInodes = FileSystemKind.unreported(top) != "FUSE"
    guard let names = try? top.names() else { return nil }
    var queue = add(names, of: top, at: nil)
    while let path = queue.popLast() {
      do throws(WatchError) {
        let folder = try FolderDescriptor(path, beneath: top)
        let names = try folder.names()
        if names.isForeign {
          foreign.insert(path)
        } else {
          queue += add(names, of: folder, at: path)
        }
      } catch  where error.isNotFound {
        continue
      } catch {
        copyFiles(from: before, in: path)
      }
    }
  }

  private mutating func copyFiles(from before: FolderSnapshot?, in folder: EntryPath) {
    for (path, mark) in before?.files ?? [:] where path.isInside(folder) { files[path] = mark }
    for path in before?.foreign ?? [] where path == folder || path.isInside(folder) {
      foreign.insert(path)
    }
  }

  /// Adds a folder's files; returns the subfolders to scan.
  private mutating func add(
    _ names: FolderNames, of folder: borrowing FolderDescriptor, at path: EntryPath?
  ) -> [EntryPath] {
    for name in names.files {
      guard let file = EntryPath(name, in: path), let status = folder.status(of: name) else {
        continue
      }
      files[file] = fileStatus(status)
    }
    return names.folders.filter { WatchFilter.isWatched(folder: $0, in: path) }
      .compactMap { EntryPath($0, in: path) }
  }

  private func fileStatus(_ status: stat) -> FileStatus {
    FileStatus(
      size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
      modifiedNanoseconds: Int64(status.st_mtim.tv_nsec),
      changedSeconds: Int64(status.st_ctim.tv_sec),
      changedNanoseconds: Int64(status.st_ctim.tv_nsec),
      inode: hasInodes ? UInt64(status.st_ino) : 0, type: UInt32(status.st_mode & S_IFMT))
  }

  /// Returns the differences from an earlier scan, sorted by path.
  func changes(since before: FolderSnapshot) -> Changes {
    var changes = Changes()
    for (path, mark) in files where before.files[path] != mark {
      if before.files[path] == nil {
        changes.added.append(path)
      } else {
        changes.changed.append(path)
      }
    }
    changes.removed = before.files.keys.filter { files[$0] == nil }
    changes.foreign = foreign.symmetricDifference(before.foreign).sorted()
    changes.added.sort()
    changes.changed.sort()
    changes.removed.sort()
    return changes
  }
}
