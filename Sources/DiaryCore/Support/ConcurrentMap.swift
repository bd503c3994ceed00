import Glibc
import Synchronization

/// Runs a task of many parts on at most four processors, and returns when all parts are done.
///
/// It creates its own threads. Those of libdispatch persist, and their manager thread wakes up
/// every second while the program runs, which an idle watcher must avoid.
package func concurrentPerform(_ count: Int, _ part: @Sendable (Int) -> Void) {
  let threads = count < 2 ? 1 : min(count, processors)
  guard threads > 1 else { return (0..<max(count, 0)).forEach(part) }
  withoutActuallyEscaping(part) { part in
    let queue = WorkQueue(count, part)
    let context = Unmanaged.passUnretained(queue).toOpaque()
    var startedThreads: [pthread_t] = []
    for _ in 1..<threads {
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { context in
          if let context { Unmanaged<WorkQueue>.fromOpaque(context).takeUnretainedValue().run() }
          return nil
        }, context)
      // If a thread cannot be created, the remaining ones do all the work.
      if code == 0 { startedThreads.append(thread) }
    }
    queue.run()
    for thread in startedThreads { pthread_join(thread, nil) }
  }
}

/// Maps many items concurrently, `chunkSize` of them at a time. The results are in their order.
package func concurrentMap<Item: Sendable, Result: Sendable>(
  _ items: [Item], chunkSize: Int = 50, _ transform: @Sendable (Item) -> Result
) -> [Result] {
  let count = (items.count + chunkSize - 1) / chunkSize
  let parts = Mutex<[Int: [Result]]>([:])
  concurrentPerform(count) { part in
    let done = items[(part * chunkSize)..<min((part + 1) * chunkSize, items.count)].map(transform)
    parts.withLock { $0[part] = done }
  }
  return parts.withLock { parts in (0..<count).flatMap { parts[$0] ?? [] } }
}

/// At most four. The system is asked once.
private let processors = min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4)

/// The parts that have not been started.
private final class WorkQueue: Sendable {
  private let next = Atomic(0)
  private let count: Int
  private let part: @Sendable (Int) -> Void

  init(_ count: Int, _ part: @escaping @Sendable (Int) -> Void) {
    (self.count, self.part) = (count, part)
  }

  func run() {
    while true {
      let index = next.add(1, ordering: .relaxed).oldValue
      guard index < count else { return }
      part(index)
    }
  }
}
