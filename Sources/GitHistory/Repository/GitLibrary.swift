// GitHistory: storage and history in git.
//
// This module owns every libgit2 pointer, and every file that Diary stores in a git directory's
// `diary` folder for locking. Only DiaryKit calls it. It reads the user's repository through
// libgit2, stores saves on Diary's own refs, and moves the user's branch at the end of a sitting.
//
// It never touches a working file, never writes the tree of the user's index, never removes a lock
// that it does not hold, never runs a hook or a program, and never opens a network connection. No
// pointer leaves `GitRepository`: ids, paths and bytes are copied.

import CLibgit2
import Glibc
import Synchronization

/// libgit2's process-wide options, set once.
package enum GitLibrary {
  /// The version of libgit2, such as `1.5.1`.
  package static var version: String {
    var numbers: (Int32, Int32, Int32) = (0, 0, 0)
    git_libgit2_version(&numbers.0, &numbers.1, &numbers.2)
    return "\(numbers.0).\(numbers.1).\(numbers.2)"
  }

  private static let storedEnvironment = Mutex<[String: String]?>(nil)

  /// The bytes of packs that stay mapped: in one window, and in all. libgit2 would map each pack
  /// whole and keep all of them; the bytes read would count as this process's memory until it ends.
  private static let (windowSize, mappedLimit) = (1 << 20, 32 << 20)

  /// The number of packs that are open at once. libgit2 would keep each one open, and an import of
  /// many pictures makes more packs than a process may have open files.
  private static let maxOpenPacks = 64

  /// The bytes of objects that libgit2 keeps after they were read. By default, a watcher would grow
  /// with each save, up to 256 MB.
  package static let maxCachedBytes = 512 << 10

  /// The bytes of objects that libgit2 keeps now.
  package static var cachedBytes: Int { Int(diary_git_cached_bytes()) }

  /// Starts libgit2 with `environment` (`HOME`, `XDG_CONFIG_HOME`, `GIT_CONFIG_GLOBAL`,
  /// `GIT_CONFIG_NOSYSTEM`, as git reads them). Only the first call of a process has an effect.
  package static func start(environment: [String: String]) {
    storedEnvironment.withLock { chosen in
      guard chosen == nil else { return }
      chosen = environment
      git_libgit2_init()
      _ = diary_git_set_windows(windowSize, mappedLimit, maxOpenPacks)
      _ = diary_git_set_cache_size(Int64(maxCachedBytes))
      // libgit2's own syncing stays off: `store` syncs where it is needed.
      applyConfigVariables(environment)
    }
  }

  /// Applies the two variables that git supports and libgit2 1.5 ignores.
  private static func applyConfigVariables(_ environment: [String: String]) {
    if let value = environment["GIT_CONFIG_NOSYSTEM"], !["", "0", "false", "no"].contains(value) {
      setSearchPath(GIT_CONFIG_LEVEL_SYSTEM, "")
    }
    if environment["GIT_CONFIG_GLOBAL"] != nil {
      setSearchPath(GIT_CONFIG_LEVEL_GLOBAL, "")
      setSearchPath(GIT_CONFIG_LEVEL_XDG, "")
      return
    }
    if let home = environment["HOME"] { setSearchPath(GIT_CONFIG_LEVEL_GLOBAL, home) }
    if let folder = configFolder(environment) { setSearchPath(GIT_CONFIG_LEVEL_XDG, folder) }
  }

  private static func setSearchPath(_ level: git_config_level_t, _ path: String) {
    _ = diary_git_set_search_path(level.rawValue, path)
  }

  /// The folder of the user's other git files: `$XDG_CONFIG_HOME/git`, else `~/.config/git`.
  package static func configFolder(_ environment: [String: String]) -> String? {
    if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty { return folder + "/git" }
    return environment["HOME"].map { $0 + "/.config/git" }
  }

  /// The environment in effect for this process.
  static var environment: [String: String] { storedEnvironment.withLock { $0 ?? [:] } }

  /// Returns the process's own environment, the default.
  static func processEnvironment() -> [String: String] {
    var found: [String: String] = [:]
    for name in names {
      if let value = getenv(name) { found[name] = String(cString: value) }
    }
    return found
  }

  private static let names = [
    "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL", "EMAIL",
  ]
}
