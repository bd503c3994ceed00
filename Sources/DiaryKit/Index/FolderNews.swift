import DiaryCore
import EntryFiles
import FolderWatch
import Synchronization

/// The files that have changed since the index was last brought up to date, as inotify reports them when it
/// is asked.
///
/// A change stays due until ``done(_:)`` says that the index has it, so of two tasks that ask at the same
/// time both read it.
final class FolderNews: Sendable {
  /// The files that the index has to read again.
  enum Due: Equatable {
    case nothing
    case paths([EntryPath])
    case everything
  }

  /// Where more files than this have changed, the whole folder is walked.
  private static let most = 200

  private struct State {
    var watch: AskedWatch?
    /// True when inotify does not work here: each question then walks the folder.
    var isDeaf = false
    var generation = 0
    /// The generations in which the whole folder, and single files, became due.
    var everything: Int? = 0
    var paths: [EntryPath: Int] = [:]
    var ignoring = ""

    mutating func take(_ event: FolderEvent) {
      switch event {
      case .touched(let path), .gone(let path):
        if path.names.last?.elementsEqual(".gitignore".utf8) == true { everything = generation }
        paths[path] = generation
      case .rescan: everything = generation
      case .trace, .failed: break
      }
    }
  }

  private let folder: JournalFolder
  private let state = Mutex(State())

  init(of folder: JournalFolder) { self.folder = folder }

  /// The files to read again, and the number to hand to ``done(_:)`` afterwards. The watch begins with the
  /// first call.
  ///
  /// - Parameter ignoring: how the files look that make git ignore something, outside of the journal.
  func due(ignoring: String) -> (what: Due, generation: Int) {
    state.withLock { state in
      state.generation += 1
      if state.watch == nil, !state.isDeaf {
        state.watch = try? AskedWatch(root: folder.root)
        if !folder.isInPlace { state.watch = nil }
      }
      let events = state.watch?.news()
      if events == nil { (state.watch, state.isDeaf) = (nil, true) }
      if state.isDeaf || ignoring != state.ignoring { state.everything = state.generation }
      state.ignoring = ignoring
      for event in events ?? [] { state.take(event) }
      if state.everything != nil || state.paths.count > Self.most {
        state.everything = state.everything ?? state.generation
        return (.everything, state.generation)
      }
      return (
        state.paths.isEmpty ? .nothing : .paths(state.paths.keys.sorted()), state.generation
      )
    }
  }

  /// What was due in a generation has been looked at.
  func done(_ generation: Int) {
    state.withLock { state in
      if let everything = state.everything, everything <= generation { state.everything = nil }
      state.paths = state.paths.filter { $0.value > generation }
    }
  }
}
