import DiaryCore
import EntryFiles
import FolderWatch
import Synchronization

/// The files that have changed since the last update of the index, read from inotify on request.
///
/// A change stays unindexed until ``markIndexed(through:)`` confirms that the index has it, so two
/// tasks that ask at the same time both read the file.
final class FolderChangeTracker: Sendable {
  /// The files that the index has to read again.
  enum UnindexedFiles: Equatable {
    case nothing
    case paths([EntryPath])
    case everything
  }

  /// The number of changed files above which the whole folder is scanned.
  private static let maxPaths = 200

  private struct State {
    var watch: OnDemandWatch?
    /// True if inotify does not work here: each query then scans the folder.
    var isUnavailable = false
    var generation = 0
    /// The generations in which the whole folder, and single files, changed.
    var everything: Int? = 0
    var paths: [EntryPath: Int] = [:]
    var ignoreKey = ""

    mutating func apply(_ event: FolderEvent) {
      switch event {
      case .changed(let path), .removed(let path):
        if path.names.last?.elementsEqual(".gitignore".utf8) == true { everything = generation }
        paths[path] = generation
      case .rescan: everything = generation
      case .editorFile, .failed: break
      }
    }
  }

  private let folder: JournalFolder
  private let state = Mutex(State())

  init(of folder: JournalFolder) { self.folder = folder }

  /// The files to read again, and the generation to pass to ``markIndexed(through:)`` afterwards.
  /// The first call starts the watch.
  ///
  /// - Parameter ignoreKey: the state of the ignore files outside of the journal.
  func unindexedFiles(ignoreKey: String) -> (what: UnindexedFiles, generation: Int) {
    state.withLock { state in
      state.generation += 1
      if state.watch == nil, !state.isUnavailable {
        state.watch = try? OnDemandWatch(root: folder.root)
        if !folder.isInPlace { state.watch = nil }
      }
      let events = state.watch?.newEvents()
      if events == nil { (state.watch, state.isUnavailable) = (nil, true) }
      if state.isUnavailable || ignoreKey != state.ignoreKey { state.everything = state.generation }
      state.ignoreKey = ignoreKey
      for event in events ?? [] { state.apply(event) }
      if state.everything != nil || state.paths.count > Self.maxPaths {
        state.everything = state.everything ?? state.generation
        return (.everything, state.generation)
      }
      return (
        state.paths.isEmpty ? .nothing : .paths(state.paths.keys.sorted()), state.generation
      )
    }
  }

  /// Removes the changes up to a generation, because the index has them.
  func markIndexed(through generation: Int) {
    state.withLock { state in
      if let everything = state.everything, everything <= generation { state.everything = nil }
      state.paths = state.paths.filter { $0.value > generation }
    }
  }
}
