import DiaryCore
import EntryFiles
import Localization

extension Journal {
  /// The display name of the program that has an entry open, by a lock file or an open file; `nil`
  /// if none is known.
  package func holder(of path: EntryPath) -> String? {
    if let lockFile = EditorLockFiles.lockFiles(of: path, in: folder).first {
      return lockFile.program
    }
    return OpenFiles.openPaths(among: [path], root: root).isEmpty
      ? nil : localized("another program")
  }

  /// The display names of the programs that have these files open.
  func holders(of paths: [EntryPath]) -> [EntryPath: String] {
    var found: [EntryPath: String] = [:]
    for path in OpenFiles.openPaths(among: paths, root: root) {
      found[path] = localized("another program")
    }
    for path in paths {
      if let lockFile = EditorLockFiles.lockFiles(of: path, in: folder).first {
        found[path] = lockFile.program
      }
    }
    return found
  }

  /// True if a program has the entry open.
  func isOpenInEditor(_ path: EntryPath) -> Bool { holder(of: path) != nil }

  /// True if a swap or lock file is next to the entry, unless a killed editor left it there.
  func hasEditorLockFile(_ path: EntryPath) -> Bool {
    !EditorLockFiles.lockFiles(of: path, in: folder).isEmpty
  }
}
