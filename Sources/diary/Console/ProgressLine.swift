import Foundation
import Glibc
import Localization
import Synchronization

/// A progress bar on the terminal, for what takes over a second; nothing in a pipe.
final class ProgressLine: Sendable {
  private struct State {
    var what: String
    var began = Date()
    var isShown = false
  }
  private let state: Mutex<State>

  init(_ what: String) { state = Mutex(State(what: what)) }

  /// Goes on with the next work, whose rate is its own.
  func begin(_ what: String) {
    state.withLock { if $0.what != what { ($0.what, $0.began) = (what, Date()) } }
  }

  func update(_ done: Int, _ total: Int) {
    let (what, began) = state.withLock { ($0.what, $0.began) }
    guard isatty(STDERR_FILENO) == 1, !Console.isDumb, total > 0,
      Date().timeIntervalSince(began) > 1
    else { return }
    state.withLock { $0.isShown = true }
    let width = 24
    let full = width * done / total
    let bar = String(repeating: "━", count: full) + String(repeating: "╌", count: width - full)
    let rate = Double(done) / Date().timeIntervalSince(began)
    let left = rate > 0 ? Int(Double(total - done) / rate) : 0
    let clock = String(format: "%d:%02d", left / 60, left % 60)
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
