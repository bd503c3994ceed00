import DiaryKit
import Dispatch
import Glibc
import Localization
import Synchronization

/// Work that ends in good order when it is interrupted.
enum Interruptible {
  /// Runs `work`, which INT, TERM and HUP cancel: it takes back what it has begun, and an
  /// `Interruption` is thrown.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let caughtSignal = Mutex<Int32?>(nil)
    let task = Task { try await work() }
    let sources = onSignal { number in
      caughtSignal.withLock { $0 = number }
      task.cancel()
    }
    defer { withExtendedLifetime(sources) {} }
    do { return try await task.value } catch {
      throw caughtSignal.withLock { $0.map(Interruption.init) } ?? error
    }
  }

  /// Does `act` on INT, TERM and HUP, instead of ending the process, as long as the answer is held.
  static func onSignal(
    _ handler: @escaping @Sendable (_ number: Int32) -> Void
  ) -> [any DispatchSourceSignal] {
    let queue = DispatchQueue(label: "diary.signals")
    return [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handler(number) }
      source.resume()
      return source
    }
  }
}

/// A signal has ended what was under way, and what it had begun is taken back.
struct Interruption: Error {
  let number: Int32

  /// Ends the process by that signal, as if it had never been caught: a shell then ends its script, too,
  /// and tells 128 and the signal's number as exit code.
  func endProcess() -> Never {
    signal(number, SIG_DFL)
    var signalSet = sigset_t()
    sigemptyset(&signalSet)
    sigaddset(&signalSet, number)
    pthread_sigmask(SIG_UNBLOCK, &signalSet, nil)
    raise(number)
    exit(128 + number)
  }
}
