import Foundation
import Glibc
import Localization
import Synchronization

/// A progress bar on the terminal, for what takes over a second; nothing in a pipe.
final class ProgressLine: Sendable {
  private struct State {
    var what: String
    var start = Date()
    var isShown = false
  }
  private let state: Mutex<State>

  init(_ what: String) { state = Mutex(State(what: what)) }

  /// Goes on with the next work, whose rate is its own.
  func startStage(_ what: String) {
    state.withLock { if $0.what != what { ($0.what, $0.start) = (what, Date()) } }
  }

  func update(_ done: Int, _ total: Int) {
    let (what, start) = state.withLock { ($0.what, $0.start) }
    guard isatty(STDERR_FILENO) == 1, !Console.isDumb, total > 0,
      Date().timeIntervalSince(start) > 1
    else { return }
    state.withLock { $0.isShown = true }
    let width = 24
    let full = width * done / total
    let bar = String(repeating: "━", count: full) + String(repeating: "╌", count: width - full)
    let rate = Double(done) / Date().timeIntervalSince(start)
    let remainingSeconds = rate > 0 ? Int(Double(total - done) / rate) : 0
    let clock = String(format: "%d:%02d", remainingSeconds / 60, remainingSeconds % 60)
    // What is left of a longer line goes.
    Console.write(
      "\r\(what) \(bar) \(done)/\(total) "
        + localized("(\(Int(rate)) a second, \(clock) left)") + "\u{1B}[K", to: STDERR_FILENO)
  }

  /// Takes the bar away again.
  func end() {
    if state.withLock({ $0.isShown }) { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
  }
}
