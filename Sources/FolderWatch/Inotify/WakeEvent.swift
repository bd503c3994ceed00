import CLinux
import Glibc

/// Ends a thread that sleeps in poll(2): once raised, it stays raised.
final class WakeEvent: Sendable {
  /// An eventfd, readable once raised.
  let descriptor: CInt

  init() { descriptor = diary_eventfd() }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func raise() {
    var one: UInt64 = 1
    // A full counter is as good as a raised one.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Sleeps until it is raised (`true`), or so many milliseconds (-1: for ever) are over (`false`).
  func wait(milliseconds: CInt) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, milliseconds) < 0 {
      // An interrupted sleep begins anew: late by a signal at most.
      guard errno == EINTR else { return true }
    }
    return polled.revents != 0
  }
}

extension Duration {
  /// Whole milliseconds as poll(2) takes them: at least one, at most some 24 days.
  var pollMilliseconds: CInt {
    let (seconds, attoseconds) = components
    guard seconds < 2_000_000 else { return CInt.max }
    return max(1, CInt(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}
