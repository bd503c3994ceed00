import Glibc
import Localization

/// An error that prevents the watch of a folder.
package enum WatchError: Error, Sendable, Equatable {
  /// A system call failed on a path.
  case system(operation: String, path: String, errno: CInt)
  /// The path is on a file system whose changes the kernel does not report, such as NFS.
  case unreported(path: String, fileSystem: String)

  /// True if it concerns one missing or inaccessible folder, and not the watch itself.
  var isFolderError: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return isNotFound || [EACCES, EPERM, EIO, ENAMETOOLONG, ESTALE, EXDEV, ENXIO].contains(code)
  }

  /// True if no folder has that path now.
  var isNotFound: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return [ENOENT, ENOTDIR, ELOOP].contains(code)
  }
}

extension WatchError: CustomStringConvertible {
  /// One sentence that names the path.
  package var description: String {
    switch self {
    case .unreported(let path, let fileSystem):
      localized("\(path) is on \(fileSystem), which does not report changes")
    case .system("inotify_add_watch", let path, ENOSPC):
      localized("no inotify watch is left for \(path) (fs.inotify.max_user_watches)")
    case .system("inotify_init1", let path, EMFILE):
      localized("no inotify instance is left for \(path) (fs.inotify.max_user_instances)")
    case .system(let operation, let path, let code):
      localized("cannot \(operation) \(path): \(String(cString: strerror(code)))")
    }
  }
}
