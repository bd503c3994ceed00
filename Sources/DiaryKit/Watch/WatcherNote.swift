/// What keeps a watcher from its work.
package struct WatcherError: Sendable, Equatable {
  /// Unix seconds.
  package var since: Int
  package var message: String
}

/// What a watcher writes into its lock for other processes to read: on the first line who it is, on a
/// second one what keeps it from its work.
struct WatcherStatus: Sendable, Equatable {
  var process: String
  var error: WatcherError?

  init(_ process: String) { self.process = process }

  /// Reads what a watcher wrote, an older Diary's too.
  init(parsing text: String) {
    let lines = text.split(separator: "\n", maxSplits: 1)
    process = lines.first.map(String.init) ?? ""
    guard let parts = lines.dropFirst().first?.split(separator: " ", maxSplits: 1),
      parts.count == 2, let since = Int(parts[0])
    else { return }
    error = WatcherError(since: since, message: String(parts[1]))
  }

  var text: String {
    process + (error.map { "\n\($0.since) " + $0.message.replacing("\n", with: " ") } ?? "")
  }
}

extension Journal {
  private var watcherStatus: WatcherStatus? {
    FileLock.holderText(of: watchLockPath).map { WatcherStatus(parsing: $0) }
  }

  /// The process that watches this journal, when one does: what it wrote down.
  package var runningWatcher: String? { watcherStatus?.process }

  /// What keeps that process from its work.
  var watcherError: WatcherError? { watcherStatus?.error }

  var watchLockPath: String { stateFolder + "/watch.lock" }
}
