import Glibc
import Synchronization

/// Does a work of many parts on the machine's processors, four of them at most; ends when all parts
/// are done.
///
/// On threads of its own: those of libdispatch stay, and one that looks after them wakes up each second
/// as long as the program runs, which a watcher at rest must not.
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
      // With fewer threads it takes longer, no more.
      if code == 0 { startedThreads.append(thread) }
    }
    queue.run()
    for thread in startedThreads { pthread_join(thread, nil) }
  }
}

/// The same work for each of many items, so many in one go; the results are in the items' order.
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

/// Four at most; the system is asked once.
private let processors = min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4)

/// The parts that nobody has begun yet.
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
