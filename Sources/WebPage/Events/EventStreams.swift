import NIOCore
import NIOPosix
import Synchronization

/// The open event streams of pages. Each has a small queue. If a page does not read in time, its
/// stream is closed; the page then opens another one and reloads everything.
final class EventStreams: Sendable {
  /// The stream of one page.
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

  /// The number of open streams.
  var count: Int { state.withLock(\.continuations.count) }

  /// Opens a stream; `nil` if the limit is reached or the server is stopping.
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

  /// Removes a stream whose page has closed it.
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

  /// Calls `action` when no stream has been open for that many seconds, after at least one was.
  func whenEmpty(for seconds: Int, _ action: @escaping @Sendable () -> Void) {
    state.withLock { $0.onEmpty = (.seconds(Int64(seconds)), action) }
  }

  /// Sends an event with a JSON value to all pages.
  func send(_ name: String, json: [UInt8]) {
    send(Self.part(name, json))
  }

  /// An event in the format of event streams.
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

  /// Asks all pages to send what is unsaved and to close their streams; no new ones are opened.
  func lock() {
    send("lock", json: Array("{}".utf8))
    state.withLock { $0.isEnded = true }
  }

  /// Sends a final event to all pages and closes their streams.
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
