import DiaryCore
import EntryFiles
import EntryIndex
import FolderWatch
import Synchronization

/// What the watcher can say of the index to a reader who asks: that its rows are what a walk over all
/// files would make them.
///
/// It is said of the rows as the reader sees them and of the moment of the question, and kept nowhere.
/// What may have changed is noted on the watch's thread, which has heard of everything that happened
/// before a question when it comes to it; the autosave's loop alone changes rows.
final class Word: Sendable {
  fileprivate struct State {
    var rules: EntryRules
    /// Which rows the index is known to have; `nil` while it is being brought up to date, and while
    /// nothing but a look at the whole folder can tell.
    var rows: RowsState?
    /// Entries whose rows may be behind.
    var changed: Set<EntryPath> = []
    /// How often it was lost what had changed.
    var losses = 0
    var isBusy = false
    var questions: [WatchDoor.Question] = []
  }

  /// An update of the index under way.
  struct Turn {
    /// What there was to say when it began, and the entries to be looked at since.
    let rows: RowsState?
    let changed: Set<EntryPath>
    fileprivate let losses: Int
  }

  private let door: WatchDoor
  private let wake: @Sendable () -> Void
  private let state: Mutex<State>

  /// - Parameter wake: called on the watch's thread when a question needs an update of the index.
  init(_ journal: Journal, wake: @escaping @Sendable () -> Void) {
    door = WatchDoor(in: journal.stateFolder)
    self.wake = wake
    state = Mutex(State(rules: EntryRules(settings: journal.settings)))
  }

  /// The journal's folder is there again.
  func goOn(with journal: Journal) {
    state.withLock {
      $0.rules = EntryRules(settings: journal.settings)
      $0.lose()
    }
    door.reopen(in: journal.stateFolder)
  }

  /// Nobody can ask any more.
  func end() {
    door.close()
    refuse(takeQuestions())
  }

  // MARK: The watch's thread

  var witness: Witness {
    Witness(
      questions: door.descriptor, hear: { self.hear($0) }, stir: { self.note($0) },
      answer: { self.answer() })
  }

  private func hear(_ event: FolderEvent) {
    switch event {
    case .touched(let path), .gone(let path): note(path)
    case .trace: break
    case .rescan(let reason):
      state.withLock { $0.lose() }
      // What changes between two looks is not told: there is nothing to be said.
      if case .began(.polling) = reason { end() }
    case .failed:
      state.withLock { $0.lose() }
      end()
    }
  }

  private func note(_ path: EntryPath) {
    state.withLock { state in
      if path.nameBytes.elementsEqual(".gitignore".utf8) { return state.lose() }
      if state.rules.isEntry(path) { state.changed.insert(path) }
    }
  }

  private func answer() {
    guard let question = door.next() else { return }
    let answer: String? = state.withLock { state in
      if !state.isBusy {
        guard let rows = state.rows else {
          // It takes a look at everything, which the reader has as soon; the next one is better off.
          state.questions.append(question)
          return Self.no
        }
        if state.changed.isEmpty, rows.text == question.text { return rows.text }
      }
      state.questions.append(question)
      state.questions.removeFirst(max(0, state.questions.count - 32))
      return nil
    }
    if let answer { door.answer(question, answer) }
    if answer == nil || answer == Self.no { wake() }
  }

  private static let no = "no"

  // MARK: The autosave's loop

  /// Those who wait for an answer; what happened before they asked is noted.
  func takeQuestions() -> [WatchDoor.Question] {
    state.withLock { state in
      defer { state.questions = [] }
      return state.questions
    }
  }

  /// Says which rows the index has now, if that can be said.
  func answer(_ questions: [WatchDoor.Question]) {
    let text = rows?.text ?? Self.no
    for question in questions { door.answer(question, text) }
  }

  func refuse(_ questions: [WatchDoor.Question]) {
    for question in questions { door.answer(question, Self.no) }
  }

  var rows: RowsState? { state.withLock { $0.rows } }

  /// The index is about to be brought up to date with what is noted by now.
  func begin() -> Turn {
    state.withLock { state in
      let turn = Turn(rows: state.rows, changed: state.changed, losses: state.losses)
      state.isBusy = true
      state.rows = nil
      state.changed = []
      return turn
    }
  }

  /// It has been; `rows` is what can be said of it, unless more was lost meanwhile.
  func end(_ turn: Turn, _ rows: RowsState?) {
    state.withLock { state in
      state.isBusy = false
      state.rows = state.losses == turn.losses ? rows : nil
    }
  }
}

extension Word.State {
  fileprivate mutating func lose() {
    rows = nil
    losses += 1
  }
}
