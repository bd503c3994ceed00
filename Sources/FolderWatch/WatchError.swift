import Glibc
import Localization

/// Why a folder cannot be watched.
package enum WatchError: Error, Sendable, Equatable {
  /// A system call failed on a path.
  case system(operation: String, path: String, errno: CInt)
  /// The path lies on a file system whose changes the kernel does not tell, such as NFS.
  case unreported(path: String, fileSystem: String)

  /// Whether it is about one folder that is away or closed to us, and not about the watch itself.
  var isFolderError: Bool {
    guard case .system(_, _, let code) = self else { return false }
    return isNotFound || [EACCES, EPERM, EIO, ENAMETOOLONG, ESTALE, EXDEV, ENXIO].contains(code)
  }

  /// Whether there is no folder under that name, now.
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
