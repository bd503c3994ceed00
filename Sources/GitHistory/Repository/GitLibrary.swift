// GitHistory: what is remembered.
//
// Owns every libgit2 pointer and every file that Diary keeps below a git directory's `diary` folder
// for locking. DiaryKit calls it; nothing else does. It reads the writer's repository through
// libgit2, keeps saves on Diary's own refs, and moves the writer's branch at the end of a sitting.
//
// It never touches a working file, never writes the tree of the writer's index, never removes a lock
// that it did not take, never runs a hook or a program, and never opens a network connection.
// A pointer never leaves `GitRepository`: ids, paths and bytes are copied out.

import CLibgit2
import Glibc
import Synchronization

/// libgit2's process-wide options, set once.
package enum GitLibrary {
  private static let storedEnvironment = Mutex<[String: String]?>(nil)

  /// How many bytes of packs stay mapped, at once and in all. libgit2 would map each pack whole and keep
  /// all of them: what was read of them would count as this process's memory until it ends.
  private static let (windowSize, mappedLimit) = (1 << 20, 32 << 20)

  /// How many packs are open at once: libgit2 would keep each that it has read from, and an import of
  /// many pictures makes more of them than a process may have open files.
  private static let maxOpenPacks = 64

  /// Starts libgit2 under `environment` (`HOME`, `XDG_CONFIG_HOME`, `GIT_CONFIG_GLOBAL`,
  /// `GIT_CONFIG_NOSYSTEM`, as git reads them). The first call of a process counts.
  package static func start(environment: [String: String]) {
    storedEnvironment.withLock { chosen in
      guard chosen == nil else { return }
      chosen = environment
      git_libgit2_init()
      _ = diary_git_set_windows(windowSize, mappedLimit, maxOpenPacks)
      // libgit2's own syncing stays off: `store` asks for it where it is needed.
      applyConfigVariables(environment)
    }
  }

  /// libgit2 1.5 knows neither variable; git does, and a writer who sets them means them.
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
    if let folder = environment["XDG_CONFIG_HOME"], !folder.isEmpty {
      setSearchPath(GIT_CONFIG_LEVEL_XDG, folder + "/git")
    } else if let home = environment["HOME"] {
      setSearchPath(GIT_CONFIG_LEVEL_XDG, home + "/.config/git")
    }
  }

  private static func setSearchPath(_ level: git_config_level_t, _ path: String) {
    _ = diary_git_set_search_path(level.rawValue, path)
  }

  /// The environment that counts for this process.
  static var environment: [String: String] { storedEnvironment.withLock { $0 ?? [:] } }

  /// The process's own environment, for callers that choose nothing.
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
