import NIOCore

/// How much one connection may send, and how long it may take.
package struct RequestLimits: Sendable {
  /// Bytes of the request line's target, and of one field.
  package var requestLine = 8 << 10
  /// Bytes of the head.
  package var head = 16 << 10
  /// Fields of the head.
  package var fields = 64
  /// Bytes of a body that is JSON.
  package var text = 4 << 20
  /// Bytes of a file that is sent.
  package var file = 24 << 20
  /// Seconds from the first byte of a head to its last.
  package var headTimeout = 10
  /// Bytes a second that a body comes with at least, after `headTime` seconds.
  package var minBodyRate = 1_000
  /// Seconds that a connection that has shown a session may rest between requests; one that has not, as
  /// long as a head may take.
  package var idleTimeout = 60
  /// Seconds that an answer may wait for a reader who takes no bytes.
  package var writeTimeout = 60
  /// Connections at one time.
  package var connections = 64
  /// Event streams at one time.
  package var streams = 8
  /// Seconds between two signs of life of an event stream.
  package var keepAliveInterval = 25
  /// Seconds without any page after which a server ends that is to end with the last one.
  package var lastPageTimeout = 10

  package init() {}
}
