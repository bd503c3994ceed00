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
    var open: [Int: AsyncStream<ByteBuffer>.Continuation] = [:]
    var count = 0
    var isEnded = false
    var beat: RepeatedTask?
    var onEmpty: (pause: TimeAmount, action: @Sendable () -> Void)?
    var patience: Scheduled<Void>?
  }

  private let most: Int
  private let beat: TimeAmount
  private let state = Mutex(State())

  init(most: Int, beat: Int) {
    self.most = most
    self.beat = .seconds(Int64(beat))
  }

  /// How many pages hold one.
  var count: Int { state.withLock(\.open.count) }

  /// A new stream; `nil` where there are as many as there may be, or the server ends.
  func open() -> Stream? {
    let (parts, continuation) = AsyncStream.makeStream(
      of: ByteBuffer.self, bufferingPolicy: .bufferingOldest(64))
    return state.withLock { state in
      guard state.open.count < most, !state.isEnded else { return nil }
      state.count += 1
      state.open[state.count] = continuation
      state.patience?.cancel()
      if state.beat == nil {
        state.beat = PageServer.loops.next().scheduleRepeatedTask(initialDelay: beat, delay: beat) {
          [weak self] _ in self?.send(ByteBuffer(string: ":\n\n"))
        }
      }
      return Stream(number: state.count, parts: parts)
    }
  }

  /// Forgets a stream whose page has gone.
  func close(_ stream: Stream) {
    state.withLock { state in
      guard let continuation = state.open.removeValue(forKey: stream.number) else { return }
      continuation.finish()
      guard state.open.isEmpty else { return }
      state.beat?.cancel()
      state.beat = nil
      guard let (pause, action) = state.onEmpty, !state.isEnded else { return }
      state.patience = PageServer.loops.next().scheduleTask(in: pause, action)
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
      for (number, continuation) in state.open {
        if case .dropped = continuation.yield(part) {
          state.open.removeValue(forKey: number)?.finish()
        }
      }
    }
  }

  /// Says farewell to all pages, and ends their streams.
  func end() {
    send("bye", json: Array("{}".utf8))
    state.withLock { state in
      state.isEnded = true
      state.beat?.cancel()
      for continuation in state.open.values { continuation.finish() }
      state.open = [:]
    }
  }
}
