import DiaryCore
import FolderWatch
import Synchronization

/// The inputs for the watcher since it last drained the queue. Any number of them is one wake-up:
/// inputs that arrive during a round are handled together in the next one.
final class EventQueue: Sendable {
  enum Input: Sendable, Equatable {
    case folder(FolderEvent)
    case wakeUp
    case stop
  }

  private static let rescanRequest = Input.folder(.rescan(.overflow))

  /// One element whenever inputs have arrived.
  let wakeups: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let inputs = Mutex<[Input]>([])
  private let capacity: Int
  private let timer = Mutex<Task<Void, Never>?>(nil)

  /// With more than `capacity` unread inputs, file events are replaced by one rescan request.
  init(capacity: Int = 16_384) {
    self.capacity = capacity
    (wakeups, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func enqueue(_ input: Input) {
    inputs.withLock { waiting in
      waiting.append(input)
      guard waiting.count > capacity else { return }
      waiting.removeAll { $0.isAboutOneFile || $0 == Self.rescanRequest }
      waiting.append(Self.rescanRequest)
    }
    wake.yield()
  }

  var isEmpty: Bool { inputs.withLock(\.isEmpty) }

  func drain() -> [Input] {
    inputs.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
  }

  /// Sets the only timer, for a time in nanoseconds on the monotonic clock, or none.
  func wakeUp(at time: Int64?, on executor: (any TaskExecutor)?) {
    let next = time.map { time in
      let pause = Duration.nanoseconds(max(time - MonotonicTime.now, 1_000_000))
      return Task(executorPreference: executor) {
        do { try await wait(for: pause) } catch { return }
        self.enqueue(.wakeUp)
      }
    }
    timer.withLock { timer in
      timer?.cancel()
      timer = next
    }
  }

  func close() {
    wakeUp(at: nil, on: nil)
    wake.finish()
  }
}

extension EventQueue.Input {
  fileprivate var isAboutOneFile: Bool {
    switch self {
    case .folder(.changed), .folder(.removed): true
    default: false
    }
  }
}
