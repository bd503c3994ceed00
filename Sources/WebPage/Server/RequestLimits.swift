import NIOCore

/// The limits of connections: sizes in bytes, times in seconds.
package struct RequestLimits: Sendable {
  /// The size of the request line's target, and of one field.
  package var requestLine = 8 << 10
  /// The size of the head.
  package var head = 16 << 10
  /// The number of fields in the head.
  package var fields = 64
  /// The size of a JSON body.
  package var text = 4 << 20
  /// The size of an uploaded file.
  package var file = 24 << 20
  /// The time from the first byte of a head to the last.
  package var headTimeout = 10
  /// The minimum rate of a body in bytes per second, after `headTimeout`.
  package var minBodyRate = 1_000
  /// The idle time between requests of a connection with a session; without one, `headTimeout`
  /// applies.
  package var idleTimeout = 60
  /// The time for which a response may be blocked by a client that does not read.
  package var writeTimeout = 60
  /// The number of concurrent connections.
  package var connections = 64
  /// The number of concurrent event streams: one for each visible page.
  package var streams = 24
  /// The interval of keep-alive comments on an event stream.
  package var keepAliveInterval = 25
  /// The time without any page after which a server with `endsWithLastPage` stops.
  package var lastPageTimeout = 10
  /// The time for which pages may save what is unsaved before the journal is locked.
  package var lastSaveTimeout = 2

  package init() {}
}
