// WebPage: the page of a journal in the browser. It answers what `diary web` is asked on loopback:
// documents, entries as JSON, files, events. `AccessGuard` decides first who may ask what; `RequestLimiter` holds
// each connection to its limits; `Routes` is the table of what can be asked. What is done with the
// journal are DiaryKit's use cases; nothing here prints or exits.

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

/// What a server is started with.
package struct PageOptions: Sendable {
  /// Whether every write is refused and no control for writing shown.
  package var isReadOnly = false
  /// Whether the server ends 10 s after the last page was closed.
  package var endsWithLastPage = false
  /// How long connections may take, and how many there may be.
  package var limits = RequestLimits()

  package init() {}
}

/// The server of one journal's page, on one port of 127.0.0.1.
package final class PageServer: Sendable {
  package let options: PageOptions
  /// Who is signed in.
  let sessions: Sessions
  /// The codes of links that nobody has opened yet.
  let signInCodes = SignInCodes()
  let assets = Assets()
  /// What pages began and left.
  let recentChanges = RecentEntryChanges()
  let connections: Connections
  let events: EventStreams
  /// One thread for all connections: they belong to one person.
  static let eventLoops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  private let state: Mutex<State>

  private struct State {
    var journal: Journal
    var port = 0
    var group: ServiceGroup?
    var isStopped = false
  }

  package init(_ journal: Journal, options: PageOptions = PageOptions()) {
    journal.startChangeTracking()
    state = Mutex(State(journal: journal))
    self.options = options
    sessions = Sessions(of: journal)
    connections = Connections(maxCount: options.limits.connections)
    events = EventStreams(
      maxStreams: options.limits.streams, keepAliveInterval: options.limits.keepAliveInterval)
  }

  /// The journal, as it is open now.
  package var journal: Journal { state.withLock(\.journal) }

  /// Takes the journal that was opened anew when its folder came back.
  func replaceJournal(_ journal: Journal) {
    guard journal !== self.journal else { return }
    journal.startChangeTracking()
    state.withLock { $0.journal = journal }
  }

  /// The port that it listens on; 0 before it does.
  package var port: Int { state.withLock(\.port) }

  /// Where the page is, without a slash at its end: `http://127.0.0.1:4934`.
  package var origin: String { "http://127.0.0.1:\(port)" }

  /// A new address that signs in the browser that opens it, once and within a minute.
  package func newLink() -> String { "\(origin)/open#\(signInCodes.issue())" }

  /// Listens on `port`, 0 for any free one, and serves until ``stop()``. Calls `onListening` once the first
  /// request can come. Fails with an `IOError` where the port is taken.
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
    // What has not ended by then does not end by itself.
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

  /// Tells the pages, takes no more requests, lets those end that have begun, then lets `run` return.
  package func stop() async {
    events.end()
    let group = state.withLock { state in
      state.isStopped = true
      return state.group
    }
    await group?.triggerGracefulShutdown()
  }
}
