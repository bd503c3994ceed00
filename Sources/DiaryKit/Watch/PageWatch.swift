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
  private let pause: Duration
  private let opened: Journal
  private var autosave: Autosave?
  private var listener: (any FolderWatcher)?
  private var isStopped = false

  package init(_ journal: Journal, lookingEvery pause: Duration = .seconds(10)) {
    opened = journal
    self.pause = pause
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
      try opened.gitLocation.refuseNewerState(of: opened.root)
      let (changes, journal) = (changes, opened)
      if let watcher = try? Autosave(journal, tell: { changes.send($0, of: journal) }) {
        autosave = watcher
        try? await watcher.run()
        autosave = nil
        changes.send(.status)
      } else {
        await listen()
      }
      // One that ended by itself must not be begun again and again.
      if !isStopped { try? await wait(for: pause) }
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
    let (journal, pause) = (opened, pause)
    let look = Task {
      while journal.runningWatcher != nil {
        do { try await wait(for: pause) } catch { return }
      }
      watcher.stop()
    }
    defer { look.cancel() }
    let saved = SavePolicy(opened)
    for await event in watcher.events {
      switch event {
      case .touched(let path) where saved.kind(of: path) == .entry:
        changes.send(.rows(changed: [path], gone: [], moved: [:]))
      case .gone(let path) where saved.kind(of: path) == .entry: tellGone(path)
      case .trace(let path): changes.sendHolder(beside: path, of: journal)
      case .rescan: changes.send(.everything)
      case .touched, .gone, .failed: break
      }
    }
    listener = nil
  }

  /// A file is gone for a moment whenever an editor or git replaces it.
  private func tellGone(_ path: EntryPath) {
    Task {
      try? await wait(for: .milliseconds(500))
      let isThere = opened.folder.has(path)
      changes.send(.rows(changed: isThere ? [path] : [], gone: isThere ? [] : [path], moved: [:]))
    }
  }
}

extension ChangeFeed {
  /// Tells what a watcher tells.
  fileprivate func send(_ event: WatchEvent, of journal: Journal) {
    switch event {
    case .saved(let paths), .filesUpdated(let paths):
      send(.rows(changed: paths, gone: [], moved: [:]))
    case .savedElsewhere(let paths):
      let here = paths.filter { journal.folder.has($0) }
      send(.rows(changed: here, gone: paths.filter { !here.contains($0) }, moved: [:]))
    case .stamped(let path, _): send(.rows(changed: [path], gone: [], moved: [:]))
    case .moved(let paths): send(.rows(changed: [], gone: [], moved: paths))
    case .deleted(let paths): send(.rows(changed: [], gone: paths, moved: [:]))
    case .editor(let trace): sendHolder(beside: trace, of: journal)
    case .returned, .synced: send(.everything)
    case .started, .committed, .waiting, .missing, .skipped, .conflictCopies, .stagedByWriter,
      .mended, .syncRecovered, .syncFailed, .trouble:
      send(.status)
    case .ended: break
    }
  }

  /// Tells who holds the entry beside whose swap or lock file something happened.
  fileprivate func sendHolder(beside trace: EntryPath, of journal: Journal) {
    guard let path = EditorLockFiles.entry(of: trace) else { return }
    send(.held(path, by: journal.holder(of: path)))
  }
}
