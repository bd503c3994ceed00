import Glibc
import Synchronization

/// Does a work of many parts on the machine's processors, four of them at most; ends when all parts
/// are done.
///
/// On threads of its own: those of libdispatch stay, and one that looks after them wakes up each second
/// as long as the program runs, which a watcher at rest must not.
package func sideBySide(_ count: Int, _ part: @Sendable (Int) -> Void) {
  let threads = count < 2 ? 1 : min(count, processors)
  guard threads > 1 else { return (0..<max(count, 0)).forEach(part) }
  withoutActuallyEscaping(part) { part in
    let work = Work(count, part)
    let context = Unmanaged.passUnretained(work).toOpaque()
    var begun: [pthread_t] = []
    for _ in 1..<threads {
      var thread = pthread_t()
      let code = pthread_create(
        &thread, nil,
        { context in
          if let context { Unmanaged<Work>.fromOpaque(context).takeUnretainedValue().run() }
          return nil
        }, context)
      // With fewer threads it takes longer, no more.
      if code == 0 { begun.append(thread) }
    }
    work.run()
    for thread in begun { pthread_join(thread, nil) }
  }
}

/// The same work for each of many items, so many in one go; the results are in the items' order.
package func sideBySide<Item: Sendable, Result: Sendable>(
  _ items: [Item], portion: Int = 50, _ work: @Sendable (Item) -> Result
) -> [Result] {
  let count = (items.count + portion - 1) / portion
  let parts = Mutex<[Int: [Result]]>([:])
  sideBySide(count) { part in
    let done = items[(part * portion)..<min((part + 1) * portion, items.count)].map(work)
    parts.withLock { $0[part] = done }
  }
  return parts.withLock { parts in (0..<count).flatMap { parts[$0] ?? [] } }
}

/// Four at most; the system is asked once.
private let processors = min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4)

/// The parts that nobody has begun yet.
private final class Work: Sendable {
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
