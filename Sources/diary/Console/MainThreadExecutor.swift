import Dispatch
import Synchronization

/// The program's tasks run one after the other, on the thread that it began with: Swift's own threads
/// take time to begin, and one that looks after them wakes up each second as long as the program runs.
final class MainThreadExecutor: TaskExecutor {
  static let main = MainThreadExecutor()

  private let jobs = Mutex<[UnownedJob]>([])
  private let jobsAvailable = DispatchSemaphore(value: 0)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    jobsAvailable.signal()
  }

  /// Runs what there is and what will come, until the program ends.
  func run() -> Never {
    while true {
      jobsAvailable.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
