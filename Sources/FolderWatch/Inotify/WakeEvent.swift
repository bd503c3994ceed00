import CLinux
import Glibc

/// An event that wakes a thread in poll(2); once raised, it stays raised.
final class WakeEvent: Sendable {
  /// An eventfd, readable once raised.
  let descriptor: CInt

  init() { descriptor = diary_eventfd() }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func raise() {
    var one: UInt64 = 1
    // A full counter has the same effect.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Waits until it is raised (`true`), or the milliseconds (-1: no limit) are over (`false`).
  func wait(milliseconds: CInt) -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&polled, 1, milliseconds) < 0 {
      // A signal restarts the wait, which only makes it longer.
      guard errno == EINTR else { return true }
    }
    return polled.revents != 0
  }
}

extension Duration {
  /// Whole milliseconds for poll(2): at least one, at most some 24 days.
  var pollMilliseconds: CInt {
    let (seconds, attoseconds) = components
    guard seconds < 2_000_000 else { return CInt.max }
    return max(1, CInt(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
  }
}
