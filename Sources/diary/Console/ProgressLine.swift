import Foundation
import Glibc
import Localization
import Synchronization

/// A progress bar for work that takes over a second; only on a terminal.
final class ProgressLine: Sendable {
  private struct State {
    var what: String
    var start = Date()
    var isShown = false
  }
  private let state: Mutex<State>

  init(_ what: String) { state = Mutex(State(what: what)) }

  /// Starts the next stage, with a rate of its own.
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
    // "\u{1B}[K" clears the remainder of a longer line.
    Console.write(
      "\r\(what) \(bar) \(done)/\(total) "
        + localized("(\(Int(rate)) per second, \(clock) left)") + "\u{1B}[K", to: STDERR_FILENO)
  }

  /// Removes the bar.
  func end() {
    if state.withLock({ $0.isShown }) { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
  }
}
