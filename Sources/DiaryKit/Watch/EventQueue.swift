import DiaryCore
import FolderWatch
import Synchronization

/// What has come in for the watcher since it last looked. However much it is, it is one wake-up: what
/// comes while the watcher is at work is then done in one go.
final class EventQueue: Sendable {
  enum Input: Sendable, Equatable {
    case folder(FolderEvent)
    case wakeUp
    case stop
  }

  private static let rescanRequest = Input.folder(.rescan(.overflow))

  /// One element whenever something has come in.
  let wakeups: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let pending = Mutex<[Input]>([])
  private let capacity: Int

  /// With more than `capacity` events unread, they become one: look at everything.
  init(capacity: Int = 16_384) {
    self.capacity = capacity
    (wakeups, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func enqueue(_ input: Input) {
    pending.withLock { waiting in
      waiting.append(input)
      guard waiting.count > capacity else { return }
      waiting.removeAll { $0.isAboutOneFile || $0 == Self.rescanRequest }
      waiting.append(Self.rescanRequest)
    }
    wake.yield()
  }

  func drain() -> [Input] {
    pending.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  func close() { wake.finish() }
}

extension EventQueue.Input {
  fileprivate var isAboutOneFile: Bool {
    switch self {
    case .folder(.changed), .folder(.removed): true
    default: false
    }
  }
}
