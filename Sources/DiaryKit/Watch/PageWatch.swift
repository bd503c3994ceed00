import DiaryCore
import EntryFiles
import FolderWatch
import Foundation

/// A watch over a journal for its pages: the journal's watcher itself, or, while another process is
/// that, a listener that saves nothing and takes over when the other one ends.
package actor PageWatch {
  /// What changes.
  package nonisolated let changes = ChangeFeed()
  /// How often a listener looks whether the other watcher still runs.
  private let checkInterval: Duration
  private let opened: Journal
  private var autosave: Autosave?
  private var listener: (any FolderWatcher)?
  private var isStopped = false

  package init(_ journal: Journal, checkInterval: Duration = .seconds(10)) {
    opened = journal
    self.checkInterval = checkInterval
  }

  /// The journal as it is open now: its folder may have been away.
  package var journal: Journal { get async { await autosave?.journal ?? opened } }

  /// Whether this process is the journal's watcher.
  package var isWatcher: Bool { autosave != nil }

  /// Watches until ``stop()``; then the sitting is ended, here or by the other watcher. Throws when a
  /// newer Diary has written the journal's state.
  package func run() async throws {
    defer { changes.finish() }
    while !isStopped {
      try opened.gitLocation.requireSupportedState(of: opened.root)
      let (changes, journal) = (changes, opened)
      if let watcher = try? Autosave(
        journal, onEvent: { changes.sendChanges(for: $0, of: journal) })
      {
        autosave = watcher
        try? await watcher.run()
        autosave = nil
        changes.send(.status)
      } else {
        await listen()
      }
      // One that ended by itself must not be begun again and again.
      if !isStopped { try? await wait(for: checkInterval) }
    }
    _ = try await opened.endSittingUnlessWatched()
  }

  /// Ends the watch; ``run()`` returns when all is saved.
  package func stop() {
    isStopped = true
    autosave?.stop()
    listener?.stop()
  }

  private func listen() async {
    let watcher = FolderWatch.watcher(for: opened.root)
    listener = watcher
    let (journal, pause) = (opened, checkInterval)
    let check = Task {
      while journal.runningWatcher != nil {
        do { try await wait(for: pause) } catch { return }
      }
      watcher.stop()
    }
    defer { check.cancel() }
    let saved = SavePolicy(opened)
    for await event in watcher.events {
      switch event {
      case .changed(let path) where saved.kind(of: path) == .entry:
        changes.send(.rows(changed: [path], removed: [], moved: [:]))
      case .removed(let path) where saved.kind(of: path) == .entry: sendRemoval(of: path)
      case .editorFile(let path): changes.sendEditor(lockFile: path, of: journal)
      case .rescan: changes.send(.everything)
      case .changed, .removed, .failed: break
      }
    }
    listener = nil
  }

  /// A file is gone for a moment whenever an editor or git replaces it.
  private func sendRemoval(of path: EntryPath) {
    Task {
      try? await wait(for: .milliseconds(500))
      let exists = opened.folder.hasFile(path)
      changes.send(.rows(changed: exists ? [path] : [], removed: exists ? [] : [path], moved: [:]))
    }
  }
}

extension ChangeFeed {
  /// Tells what a watcher tells.
  fileprivate func sendChanges(for event: WatchEvent, of journal: Journal) {
    switch event {
    case .saved(let paths), .filesUpdated(let paths):
      send(.rows(changed: paths, removed: [], moved: [:]))
    case .savedByOthers(let paths):
      let here = paths.filter { journal.folder.hasFile($0) }
      send(.rows(changed: here, removed: paths.filter { !here.contains($0) }, moved: [:]))
    case .stamped(let path, _): send(.rows(changed: [path], removed: [], moved: [:]))
    case .moved(let paths): send(.rows(changed: [], removed: [], moved: paths))
    case .deleted(let paths): send(.rows(changed: [], removed: paths, moved: [:]))
    case .editorFileChanged(let trace): sendEditor(lockFile: trace, of: journal)
    case .reopened, .synced: send(.everything)
    case .started, .committed, .commitDeferred, .missing, .skipped, .conflictCopies, .stagedByUser,
      .indexRepaired, .syncRecovered, .syncFailed, .error:
      send(.status)
    case .ended: break
    }
  }

  /// Tells who holds the entry beside whose swap or lock file something happened.
  fileprivate func sendEditor(lockFile: EntryPath, of journal: Journal) {
    guard let path = EditorLockFiles.entry(of: lockFile) else { return }
    send(.editorChanged(path, editor: journal.holder(of: path)))
  }
}
