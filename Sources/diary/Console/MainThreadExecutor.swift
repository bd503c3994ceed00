import Dispatch
import Synchronization

/// Runs the program's tasks one after the other on the main thread. Swift's own threads take time
/// to start, and their manager thread wakes up every second while the program runs.
final class MainThreadExecutor: TaskExecutor {
  static let main = MainThreadExecutor()

  private let jobs = Mutex<[UnownedJob]>([])
  private let jobsAvailable = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    jobsAvailable.signal()
  }

  /// Runs all queued and all future jobs, until the program ends.
  func run() -> Never {
    while true {
      jobsAvailable.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
