import DiaryCore

/// The watches and their folders: a tree that is only extended and cut, never renamed.
///
/// A renamed folder is cut at its old path and watched again at the new one, so each path is the
/// one under which the folder was last opened.
struct WatchedFolders {
  struct Folder {
    /// `nil` for the journal's own folder.
    let path: EntryPath?
    let parent: CInt?
    var children: [EntryPath: CInt] = [:]
    /// True for another repository, and for encrypted files: only the name that tells it is of
    /// interest.
    var isForeign = false
  }

  enum InsertionResult: Equatable {
    /// The folder was watched at this path already.
    case known
    /// The folder contains itself, as a bind mount can make it.
    case loop
    /// The folder is new here; these watches belong to folders that no longer exist.
    case new(outdated: [CInt])
  }

  private var folders: [CInt: Folder] = [:]
  private var watches: [EntryPath?: CInt] = [:]

  var count: Int { folders.count }

  subscript(watch: CInt) -> Folder? { folders[watch] }

  func watch(at path: EntryPath?) -> CInt? { watches[path] }

  /// Records that the folder at `path` has this watch; without a known parent, it is a root.
  mutating func insert(_ watch: CInt, at path: EntryPath?) -> InsertionResult {
    if let earlier = folders[watch] {
      if earlier.path == path { return .known }
      guard let inner = path, let outer = earlier.path, !inner.isInside(outer) else { return .loop }
    }
    let outdated = remove(at: path) + (folders[watch].map { remove(at: $0.path) } ?? [])
    let parent = path.flatMap { watches[$0.folder] }
    folders[watch] = Folder(path: path, parent: parent)
    watches[path] = watch
    if let parent, let path { folders[parent]?.children[path] = watch }
    return .new(outdated: outdated.filter { $0 != watch })
  }

  /// Marks a folder as one whose content is not the journal's.
  mutating func setForeign(_ watch: CInt) { folders[watch]?.isForeign = true }

  /// Removes the folder at `path` and all folders below it; returns their watches.
  mutating func remove(at path: EntryPath?) -> [CInt] {
    guard let top = watches[path] else { return [] }
    if let parent = folders[top]?.parent, let path {
      folders[parent]?.children[path] = nil
    }
    return remove([top])
  }

  /// Removes all folders below a folder, but not the folder; returns their watches.
  mutating func removeChildren(of watch: CInt) -> [CInt] {
    let children = folders[watch].map { Array($0.children.values) } ?? []
    folders[watch]?.children = [:]
    return remove(children)
  }

  private mutating func remove(_ tops: [CInt]) -> [CInt] {
    var queue = tops
    var removed: [CInt] = []
    while let watch = queue.popLast() {
      guard let folder = folders.removeValue(forKey: watch) else { continue }
      watches[folder.path] = nil
      queue += folder.children.values
      removed.append(watch)
    }
    return removed
  }
}
