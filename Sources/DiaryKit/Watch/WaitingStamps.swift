import DiaryCore

/// A stamp that waits until the editor closes.
struct WaitingStamp: Codable {
  /// The moment of the stamp, in Unix seconds.
  var moment: Int
  /// The weather of that moment, fetched while it is current; `nil` if there is none (yet).
  var weather: String?
  /// True while the weather is being fetched.
  var isAsking = false
}

/// The stamps of new entries, which are written when the editor has closed. They are stored at each
/// change, so that the next watcher has them however this one ends.
struct WaitingStamps {
  private let file: StateFile<[String: WaitingStamp]>
  private var stamps: [EntryPath: WaitingStamp] = [:]
  /// Entries into which no command would write either, as while a sync has a newer text for one.
  /// Their stamps wait for an event.
  private var blocked: Set<EntryPath> = []
  /// The time of the next check, in nanoseconds on the monotonic clock.
  private(set) var checkAt: Int64?
  /// The next attempt after an error.
  private var retry: Backoff?

  init(of journal: Journal) { file = journal.state.waitingStamps }

  var paths: Set<EntryPath> { Set(stamps.keys) }

  /// The stamps whose weather is being fetched.
  var asking: [EntryPath: WaitingStamp] { stamps.filter(\.value.isAsking) }

  /// The stamps that can be written as soon as their editors have closed.
  var ready: [EntryPath: WaitingStamp] {
    stamps.filter { !$0.value.isAsking && !blocked.contains($0.key) }
  }

  subscript(path: EntryPath) -> WaitingStamp? {
    get { stamps[path] }
    set { change { $0[path] = newValue } }
  }

  /// The path of an entry whose weather is being fetched, also if it has moved since the request.
  mutating func currentPath(of path: EntryPath, moment: Int) -> EntryPath {
    followCommands()
    if stamps[path]?.moment == moment { return path }
    return asking.first { $0.value.moment == moment }?.key ?? path
  }

  /// Takes over the stored stamps of an earlier watcher.
  mutating func load() {
    for (text, stamp) in file.read() {
      guard let path = EntryPath(text) else { continue }
      stamps[path] = WaitingStamp(moment: stamp.moment, weather: stamp.weather)
    }
  }

  mutating func move(_ path: EntryPath, to target: EntryPath) {
    guard stamps[path] != nil else { return }
    change { $0[target] = $0.removeValue(forKey: path) }
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

  /// Follows the entries that a command has moved meanwhile: it moves the stored stamp, too.
  mutating func followCommands() {
    let stored = file.read()
    for (path, stamp) in stamps where stored[path.text] == nil {
      let moved = stored.first { $0.value.moment == stamp.moment && stamps[named: $0.key] == nil }
      guard let target = moved.flatMap({ EntryPath($0.key) }) else { continue }
      stamps[path] = nil
      stamps[target] = stamp
    }
  }

  private mutating func change(_ body: (inout [EntryPath: WaitingStamp]) -> Void) {
    followCommands()
    body(&stamps)
    blocked.formIntersection(stamps.keys)
    let texts = Dictionary(stamps.map { ($0.key.text, $0.value) }) { first, _ in first }
    if texts.isEmpty { file.remove() } else { try? file.write(texts) }
  }
}

extension [EntryPath: WaitingStamp] {
  fileprivate subscript(named text: String) -> WaitingStamp? {
    EntryPath(text).flatMap { self[$0] }
  }
}
