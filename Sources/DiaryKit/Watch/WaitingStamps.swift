import DiaryCore

/// A stamp that waits until the editor closes.
struct WaitingStamp: Codable, Equatable, Sendable {
  /// The moment of the stamp, in Unix seconds.
  var moment: Int
  /// The weather of that moment, fetched while it is current; `nil` if there is none (yet).
  var weather: String?
}

/// The stamps of new entries, which are written when the editor has closed. Their state file is the
/// only record of them, so that the next watcher has them however this one ends, and so that they
/// follow an entry that a command moves.
struct WaitingStamps {
  private let file: StateFile<[String: WaitingStamp]>
  /// The moments of the stamps whose weather is being fetched.
  private var requests: [Int] = []
  /// Fetched weather that could not be stored, as on a full disk, by the moment of its stamp.
  private var unstoredWeather: [Int: String] = [:]
  /// Entries into which no command would write either, as while a sync has a newer text for one.
  /// Their stamps wait for an event.
  private var blocked: Set<EntryPath> = []
  /// The time of the next check, in nanoseconds on the monotonic clock.
  private(set) var checkAt: Int64?
  /// The next attempt after an error.
  private var retry: Backoff?

  init(of journal: Journal) { file = journal.state.waitingStamps }

  private var all: [EntryPath: WaitingStamp] {
    [EntryPath: WaitingStamp](stored: file.read()).mapValues { stored in
      var stamp = stored
      stamp.weather = stored.weather ?? unstoredWeather[stored.moment]
      return stamp
    }
  }

  var paths: Set<EntryPath> { Set(all.keys) }

  /// The stamps whose weather is being fetched.
  var asking: [EntryPath: WaitingStamp] { all.filter { requests.contains($0.value.moment) } }

  /// The stamps that can be written as soon as their editors have closed.
  var ready: [EntryPath: WaitingStamp] {
    all.filter { !requests.contains($0.value.moment) && !blocked.contains($0.key) }
  }

  mutating func beginRequest(at moment: Int) { requests.append(moment) }

  mutating func endRequest(at moment: Int, unstored weather: String? = nil) {
    requests.removeAll { $0 == moment }
    unstoredWeather[moment] = weather
  }

  /// Ends a check of the ready stamps.
  mutating func endCheck() { checkAt = nil }

  /// Lets a stamp wait for an event of its file.
  mutating func block(_ path: EntryPath) { blocked.insert(path) }

  /// Handles an event after which the stamp of an entry may be written.
  mutating func unblock(_ path: EntryPath) { blocked.remove(path) }

  mutating func unblockAll() { blocked = [] }

  /// Tries again after a growing pause, because of an error.
  mutating func postpone() { retry = retry?.next() ?? Backoff(first: 2) }

  mutating func endRetries() { retry = nil }

  /// Sets the time of the next check. One that is already set stays: events of other files must not
  /// postpone it forever.
  mutating func scheduleCheck(_ editors: OpenEditors, in journal: Journal) {
    guard let next = ready.keys.compactMap({ editors.nextCheck(of: $0, in: journal) }).min() else {
      return checkAt = nil
    }
    checkAt = min(max(next, retry?.at ?? next), checkAt ?? .max)
  }
}

extension JournalWeather {
  /// Ends the wait of a stamp, if it still is the one of this moment.
  func removeWaitingStamp(of path: EntryPath, at moment: Int) async throws {
    try await journal.locked {
      try $0.saver.changeWaitingStamps { if $0[path]?.moment == moment { $0[path] = nil } }
    }
  }

  /// Adds the weather that was requested for a waiting stamp, or queues it if there was no answer.
  /// The entry may have moved meanwhile.
  func addWeather(_ weather: String?, to path: EntryPath, at moment: Int) async throws {
    try await journal.locked { locked in
      let stored = try journal.state.waitingStamps.load()
      let stamps = [EntryPath: WaitingStamp](stored: stored).filter { $0.value.moment == moment }
      let path = stamps[path] == nil ? stamps.keys.first ?? path : path
      if weather == nil { try locked.queueStamp(path, moment: moment) }
      try locked.saver.changeWaitingStamps {
        if $0[path]?.moment == moment { $0[path]?.weather = weather }
      }
    }
  }
}

extension Saver {
  /// Lets the stamps of entries wait until their editors close. Each gets a moment of its own, so
  /// that an answer finds its stamp although the entry has moved.
  func addWaitingStamps(to paths: [EntryPath]) throws -> [(path: EntryPath, moment: Int)] {
    var added: [(path: EntryPath, moment: Int)] = []
    if paths.isEmpty { return added }
    try changeWaitingStamps { stamps in
      for path in paths {
        var moment = journal.now
        while stamps.values.contains(where: { $0.moment == moment }) { moment += 1 }
        stamps[path] = WaitingStamp(moment: moment)
        added.append((path, moment))
      }
    }
    return added
  }

  /// Changes the stamps that wait for an editor.
  func changeWaitingStamps(
    _ body: (inout [EntryPath: WaitingStamp]) -> Void
  ) throws(DiaryError) {
    let file = journal.state.waitingStamps
    let before = [EntryPath: WaitingStamp](stored: try file.load())
    var stamps = before
    body(&stamps)
    guard stamps != before else { return }
    if stamps.isEmpty { return file.remove() }
    try file.write(Dictionary(stamps.map { ($0.key.text, $0.value) }) { first, _ in first })
  }
}

extension [EntryPath: WaitingStamp] {
  fileprivate init(stored: [String: WaitingStamp]) {
    self.init(minimumCapacity: stored.count)
    for (text, stamp) in stored {
      if let path = EntryPath(text) { self[path] = stamp }
    }
  }
}
