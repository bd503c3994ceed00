import DiaryCore
import EntryFiles
import FolderWatch
import Foundation

/// A watch over a journal for its pages. It is the journal's watcher or, while another process is,
/// a listener that saves nothing and takes over when the other watcher ends.
package actor PageWatch {
  package nonisolated let changes = ChangeFeed()
  /// The interval at which a listener checks if the other watcher is still running.
  private let checkInterval: Duration
  private let opened: Journal
  private var autosave: Autosave?
  private var listener: (any FolderWatcher)?
  private var isStopped = false

  package init(_ journal: Journal, checkInterval: Duration = .seconds(10)) {
    opened = journal
    self.checkInterval = checkInterval
  }

  /// The journal as it is open now; it is reopened after its folder was absent.
  package var journal: Journal { get async { await autosave?.journal ?? opened } }

  /// True if this process is the journal's watcher.
  package var isWatcher: Bool { autosave != nil }

  /// Watches until ``stop()``; then the sitting is ended, here or by the other watcher. Throws if a
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
      // A watcher that ended by itself must not be restarted again and again.
      if !isStopped { try? await wait(for: checkInterval) }
    }
    _ = try await opened.page.endSittingUnlessWatched()
  }

  /// Ends the watch; ``run()`` returns when everything is saved.
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
      while journal.watcherStatus != nil {
        do { try await wait(for: pause) } catch { return }
      }
      watcher.stop()
    }
    defer { check.cancel() }
    let saved = PathClassifier(opened)
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

  /// Sends a removal after a delay: an editor or git removes a file for a moment to replace it, and the
  /// watcher first saves what was moved.
  private func sendRemoval(of path: EntryPath) {
    Task {
      try? await wait(for: .milliseconds(500) + .seconds(min(opened.settings.settle, 3)))
      let exists = opened.folder.hasFile(path)
      changes.send(.rows(changed: exists ? [path] : [], removed: exists ? [] : [path], moved: [:]))
    }
  }
}

extension ChangeFeed {
  /// Sends the changes that correspond to a watcher's event.
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

  /// Sends the editor of an entry after an event of its swap or lock file.
  fileprivate func sendEditor(lockFile: EntryPath, of journal: Journal) {
    guard let path = EditorLockFiles.entry(of: lockFile) else { return }
    send(.editorChanged(path, editor: journal.holder(of: path)))
  }
}
