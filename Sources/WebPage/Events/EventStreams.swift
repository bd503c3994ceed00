import NIOCore
import NIOPosix
import Synchronization

/// The event streams that pages hold open. Each has a small queue; a page that does not read in time loses
/// its stream, opens another one and asks for all there is.
final class EventStreams: Sendable {
  /// One page's.
  struct Stream: Sendable {
    let number: Int
    let parts: AsyncStream<ByteBuffer>
  }

  private struct State {
    var continuations: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    var count = 0
    var isEnded = false
    var keepAliveTask: RepeatedTask?
    var onEmpty: (pause: TimeAmount, action: @Sendable () -> Void)?
    var emptyTimeout: Scheduled<Void>?
  }

  private let maxStreams: Int
  private let keepAliveInterval: TimeAmount
  private let state = Mutex(State())

  init(maxStreams: Int, keepAliveInterval: Int) {
    self.maxStreams = maxStreams
    self.keepAliveInterval = .seconds(Int64(keepAliveInterval))
  }

  /// How many pages hold one.
  var count: Int { state.withLock(\.continuations.count) }

  /// A new stream; `nil` where there are as many as there may be, or the server ends.
  func open() -> Stream? {
    let (parts, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(64))
    return state.withLock { state in
      guard state.continuations.count < maxStreams, !state.isEnded else { return nil }
      state.count += 1
      state.continuations[state.count] = continuation
      state.emptyTimeout?.cancel()
      if state.keepAliveTask == nil {
        state.keepAliveTask = PageServer.eventLoops.next().scheduleRepeatedTask(
          initialDelay: keepAliveInterval, delay: keepAliveInterval
        ) {
          [weak self] _ in self?.send(ByteBuffer(string: ":\n\n"))
        }
      }
      return Stream(number: state.count, parts: parts)
    }
  }

  /// Forgets a stream whose page has gone.
  func close(_ stream: Stream) {
    state.withLock { state in
      guard let continuation = state.continuations.removeValue(forKey: stream.number) else {
        return
      }
      continuation.finish()
      guard state.continuations.isEmpty else { return }
      state.keepAliveTask?.cancel()
      state.keepAliveTask = nil
      guard let (pause, action) = state.onEmpty, !state.isEnded else { return }
      state.emptyTimeout = PageServer.eventLoops.next().scheduleTask(in: pause, action)
    }
  }

  /// Calls `action` when no page has held a stream for so many seconds, after one had.
  func whenEmpty(for seconds: Int, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.onEmpty = (.seconds(Int64(seconds)), action) }
  }

  /// Sends an event with a value in JSON to all pages.
  func send(_ name: String, json: [UInt8]) {
    send(Self.part(name, json))
  }

  /// An event as it is sent.
  static func part(_ name: String, _ json: [UInt8]) -> ByteBuffer {
    var part = ByteBuffer(string: "event: \(name)\ndata: ")
    part.writeBytes(json)
    part.writeString("\n\n")
    return part
  }

  private func send(_ part: ByteBuffer) {
    state.withLock { state in
      for (number, continuation) in state.continuations {
        if case .dropped = continuation.yield(part) {
          state.continuations.removeValue(forKey: number)?.finish()
        }
      }
    }
  }

  /// Says farewell to all pages, and ends their streams.
  func end() {
    send("bye", json: Array("{}".utf8))
    state.withLock { state in
      state.isEnded = true
      state.keepAliveTask?.cancel()
      for continuation in state.continuations.values { continuation.finish() }
      state.continuations = [:]
    }
  }
}
