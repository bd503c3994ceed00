/// What keeps a watcher from its work.
package struct WatcherTrouble: Sendable, Equatable {
  /// Unix seconds.
  package var since: Int
  package var what: String
}

/// What a watcher writes into its lock for other processes to read: on the first line who it is, on a
/// second one what keeps it from its work.
struct WatcherNote: Sendable, Equatable {
  var who: String
  var trouble: WatcherTrouble?

  init(_ who: String) { self.who = who }

  /// Reads what a watcher wrote, an older Diary's too.
  init(reading text: String) {
    let lines = text.split(separator: "\n", maxSplits: 1)
    who = lines.first.map(String.init) ?? ""
    guard let words = lines.dropFirst().first?.split(separator: " ", maxSplits: 1),
      words.count == 2, let since = Int(words[0])
    else { return }
    trouble = WatcherTrouble(since: since, what: String(words[1]))
  }

  var text: String {
    who + (trouble.map { "\n\($0.since) " + $0.what.replacing("\n", with: " ") } ?? "")
  }
}

extension Journal {
  private var watcherNote: WatcherNote? {
    FileLock.holder(of: watchLock).map { WatcherNote(reading: $0) }
  }

  /// The process that watches this journal, when one does: what it wrote down.
  package var runningWatcher: String? { watcherNote?.who }

  /// What keeps that process from its work.
  var watcherTrouble: WatcherTrouble? { watcherNote?.trouble }

  var watchLock: String { stateFolder + "/watch.lock" }
}
