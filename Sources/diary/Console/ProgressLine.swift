import Foundation
import Glibc
import Localization
import Synchronization

/// A progress bar on the terminal, for what takes over a second; nothing in a pipe.
final class ProgressLine: Sendable {
  private let what: String
  private let began = Date()
  private let shown = Mutex(false)

  init(_ what: String) { self.what = what }

  func update(_ done: Int, _ total: Int) {
    guard isatty(STDERR_FILENO) == 1, !Console.isDumb, total > 0,
      Date().timeIntervalSince(began) > 1
    else { return }
    shown.withLock { $0 = true }
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
  func end() { if shown.withLock({ $0 }) { Console.write("\r\u{1B}[K", to: STDERR_FILENO) } }
}
