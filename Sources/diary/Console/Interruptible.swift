import DiaryKit
import Dispatch
import Glibc
import Localization
import Synchronization

/// Runs work that signals can interrupt without leaving it half done.
enum Interruptible {
  /// Runs `work`, which INT, TERM and HUP cancel. Cancelled work undoes its changes, and an
  /// `Interruption` is thrown.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let state = Mutex<(signal: Int32?, cancel: (@Sendable () -> Void)?)>((nil, nil))
    // Before the work starts: a signal would end the process and leave the work half done.
    let sources = onSignal { number in
      state.withLock {
        $0.signal = number
        $0.cancel?()
      }
    }
    let task = Task { try await work() }
    state.withLock {
      $0.cancel = { task.cancel() }
      if $0.signal != nil { task.cancel() }
    }
    defer { end(sources) }
    do { return try await task.value } catch {
      throw state.withLock { $0.signal.map(Interruption.init) } ?? error
    }
  }

  /// Ends the handling of signals: they end the process again.
  static func end(_ sources: [any DispatchSourceSignal]) {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
  }

  /// Calls `handler` on INT, TERM and HUP, instead of ending the process, while the result is held.
  static func onSignal(
    _ handler: @escaping @Sendable (_ number: Int32) -> Void
  ) -> [any DispatchSourceSignal] {
    let queue = DispatchQueue(label: "diary.signals")
    return [SIGINT, SIGTERM, SIGHUP].map { number in source(number, queue) { handler(number) } }
  }

  /// Calls `handler` on USR1, with which `diary lock` asks to close all files, while the result is
  /// held.
  static func onLock(_ handler: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
    source(SIGUSR1, DispatchQueue(label: "diary.lock"), handler)
  }

  private static func source(
    _ number: Int32, _ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
    source.setEventHandler(handler: handler)
    source.resume()
    return source
  }
}

/// An error that a signal has cancelled the work. The work's changes are undone.
struct Interruption: Error {
  let number: Int32

  /// Ends the process by that signal, as if it had never been caught: a shell then also ends its
  /// script, and reports 128 plus the signal's number as the exit code.
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
