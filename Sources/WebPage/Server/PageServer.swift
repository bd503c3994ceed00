// WebPage: the web page of a journal. It serves the requests of `diary web` on loopback: documents,
// entries as JSON, files and events. `AccessGuard` checks each request first, `RequestLimiter`
// enforces the limits of each connection, and `Routes` is the table of routes. Changes of the
// journal are use cases of DiaryKit. This module never prints or exits.
import DiaryKit
import Foundation
import HTTPTypes
import HummingbirdCore
import Localization
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization

/// The options of a server.
package struct PageOptions: Sendable {
  /// True if every write is refused and no controls for writing are shown.
  package var isReadOnly = false
  /// True if the server stops 10 s after the last page was closed.
  package var endsWithLastPage = false
  /// The limits of connections.
  package var limits = RequestLimits()

  package init() {}
}

/// The server of one journal's page, on one port of 127.0.0.1.
package final class PageServer: Sendable {
  package let options: PageOptions
  /// True if the journal can be locked: a browser then keeps nothing of it.
  let isEncrypted: Bool
  /// The signed-in browsers.
  let sessions: Sessions
  /// The codes of sign-in links that are not used yet.
  let signInCodes = SignInCodes()
  let assets = Assets()
  /// The recent creations and renames by pages.
  let recentChanges = RecentChanges()
  let connections: Connections
  let events: EventStreams
  /// One thread for all connections, because they belong to one user.
  static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let state: Mutex<State>

  private struct State {
    var journal: Journal
    var port = 0
    var group: ServiceGroup?
    var isStopped = false
  }

  package init(_ journal: Journal, options: PageOptions = PageOptions()) {
    journal.catalog.startChangeTracking()
    state = Mutex(State(journal: journal))
    self.options = options
    isEncrypted = EncryptedFolder(journal.root).state == .unlocked
    sessions = Sessions(of: journal)
    connections = Connections(maxCount: options.limits.connections)
    events = EventStreams(
      maxStreams: options.limits.streams, keepAliveInterval: options.limits.keepAliveInterval)
  }

  /// The journal that is currently open.
  package var journal: Journal { state.withLock(\.journal) }

  /// Uses a journal that was reopened after its folder reappeared.
  func replaceJournal(_ journal: Journal) {
    guard journal !== self.journal else { return }
    journal.catalog.startChangeTracking()
    state.withLock { $0.journal = journal }
  }

  /// The port on which the server listens; 0 before it does.
  package var port: Int { state.withLock(\.port) }

  /// The origin of the page, without a trailing slash: `http://127.0.0.1:4934`.
  package var origin: String { "http://127.0.0.1:\(port)" }

  /// Creates an address that signs in the browser that opens it, once and within a minute.
  package func newLink() -> String { "\(origin)/open#\(signInCodes.issue())" }

  /// Listens on `port` (0 for any free one) and serves until ``stop()``. Calls `onListening` when
  /// it accepts requests. Fails with an `IOError` if the port is in use.
  package func run(
    port: Int, onListening: @escaping @Sendable () async -> Void = {}
  ) async throws {
    let logger = Logger(label: "diary-web") { _ in SwiftLogNoOpLogHandler() }
    let builder = HTTPServerBuilder { [connections, options] responder in
      PageChannel(responder: responder, limits: options.limits, connections: connections)
    }
    let service = try builder.buildServer(
      configuration: ServerConfiguration(
        address: .hostname("127.0.0.1", port: port), backlog: 256, reuseAddress: true),
      eventLoopGroup: Self.eventLoops, logger: logger,
      responder: { request, writer, channel in
        let response = await self.response(to: request, on: channel)
        try await writer.write(response: response.head, body: response.body)
      },
      onServerRunning: { channel in
        self.state.withLock { $0.port = channel.localAddress?.port ?? port }
        await onListening()
      })
    var configuration = ServiceGroupConfiguration(services: [service], logger: logger)
    // Requests that are still open after that time are cancelled.
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    let group = ServiceGroup(configuration: configuration)
    let isStopped = state.withLock { state in
      state.group = group
      return state.isStopped
    }
    if options.endsWithLastPage {
      events.whenEmpty(for: options.limits.lastPageTimeout) { Task { await self.stop() } }
    }
    if !isStopped { try await group.run() }
  }

  /// Lets the pages save what is unsaved, for a limited time, then stops.
  package func letGo() async {
    events.lock()
    let end = ContinuousClock.now + .seconds(options.limits.lastSaveTimeout)
    while events.count > 0, .now < end { try? await Task.sleep(for: .milliseconds(20)) }
    await stop()
  }

  /// Notifies the pages, accepts no more requests, waits for current ones, and ends `run`.
  package func stop() async {
    events.end()
    let group = state.withLock { state in
      state.isStopped = true
      return state.group
    }
    await group?.triggerGracefulShutdown()
  }
}
