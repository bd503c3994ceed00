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
    let handling = onSignal { number in
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
    defer { withExtendedLifetime(handling) {} }
    do { return try await task.value } catch {
      throw state.withLock { $0.signal.map(Interruption.init) } ?? error
    }
  }

  /// Calls `handler` on INT, TERM and HUP, instead of ending the process, while the result is held.
  static func onSignal(
    _ handler: @escaping @Sendable (_ number: Int32) -> Void
  ) -> SignalHandling {
    _ = sources
    return SignalHandling(handler)
  }

  /// libdispatch installs its handler of a signal only once, so a source that ended would leave none for
  /// the next one: these never end.
  private nonisolated(unsafe) static let sources: [any DispatchSourceSignal] = {
    let queue = DispatchQueue(label: "diary.signals")
    let numbers = [SIGINT, SIGTERM, SIGHUP].filter { $0 != SIGHUP || !isIgnored($0) }
    return numbers.map { number in
      source(number, queue) {
        guard let handler = SignalHandling.newest else { Interruption(number: number).endProcess() }
        handler(number)
      }
    }
  }()

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

/// A handler of signals; the newest one counts.
final class SignalHandling: Sendable {
  private typealias Handler = @Sendable (Int32) -> Void
  private static let handlers = Mutex<(count: Int, all: [Int: Handler])>((0, [:]))
  private let number: Int

  fileprivate init(_ handler: @escaping @Sendable (Int32) -> Void) {
    number = Self.handlers.withLock {
      $0.count += 1
      $0.all[$0.count] = handler
      return $0.count
    }
  }

  fileprivate static var newest: (@Sendable (Int32) -> Void)? {
    handlers.withLock { $0.all.max { $0.key < $1.key }?.value }
  }

  deinit { _ = Self.handlers.withLock { $0.all.removeValue(forKey: number) } }
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
