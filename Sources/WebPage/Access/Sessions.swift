import Crypto
import DiaryCore
import DiaryKit
import Foundation
import Synchronization

/// The content of `.git/diary/web.json`.
package struct WebState: Codable, Sendable, Equatable {
  /// A browser that was signed in.
  package struct Session: Codable, Sendable, Equatable {
    /// The SHA-256 of the secret in the browser's cookie, in hexadecimal.
    package var hash: String
    /// The port of the page; the session is valid only there.
    package var port: Int
    /// The expiry, in Unix seconds.
    package var until: Int
  }

  /// The last port of the page.
  package var port: Int?
  package var sessions: [Session] = []

  /// The state file of a journal.
  package static func file(of journal: Journal) -> StateFile<WebState> {
    StateFile("web.json", in: journal.stateFolder, defaultValue: WebState())
  }
}

/// The signed-in browsers. A session is 256 random bits in a cookie; only their hash is stored.
package final class Sessions: Sendable {
  /// The lifetime: 30 days, in seconds.
  static let lifetime = 30 * 24 * 3_600

  private let journal: Journal
  private let file: StateFile<WebState>
  private let now: @Sendable () -> Int
  private let state: Mutex<WebState>

  package init(of journal: Journal) {
    self.journal = journal
    file = WebState.file(of: journal)
    now = journal.environment.now
    state = Mutex(file.read())
  }

  /// Creates and stores a session for the page on `port`, and returns its secret.
  func create(port: Int) throws -> String {
    let secret = randomHexadecimal(bytes: 32)
    let now = now()
    try update { state in
      state.sessions.removeAll { $0.until <= now }
      state.sessions.append(
        WebState.Session(hash: Self.hash(secret), port: port, until: now + Self.lifetime))
    }
    return secret
  }

  /// True if one of the cookies of a request is a session on `port`. Each is compared with every
  /// session in constant time.
  func hasSession(in cookies: [String], port: Int) -> Bool {
    let hashes = SessionCookie.values(in: cookies, port: port).map { Array(Self.hash($0).utf8) }
    guard !hashes.isEmpty else { return false }
    let now = now()
    let known = state.withLock { $0.sessions.filter { $0.port == port && $0.until > now } }
    var isKnown = false
    for session in known.map({ Array($0.hash.utf8) }) {
      for hash in hashes where isEqualInConstantTime(session, hash) { isKnown = true }
    }
    return isKnown
  }

  /// Ends all sessions.
  package func endAll() throws { try update { $0.sessions = [] } }

  /// Stores the port of the page. Sessions on `lostPort` end: another program uses that port, and
  /// browsers may have sent it their cookies.
  package func setPort(_ port: Int, lostPort: Int?) throws {
    try update { state in
      state.port = port
      state.sessions.removeAll { $0.port == lostPort }
    }
  }

  private func update(_ body: (inout WebState) -> Void) throws {
    try state.withLock { state in
      var changed = state
      body(&changed)
      guard changed != state else { return }
      try journal.makeStateFolder()
      try file.write(changed)
      state = changed
    }
  }

  private static func hash(_ secret: String) -> String {
    hexadecimal(SHA256.hash(data: Data(secret.utf8)))
  }
}

/// Random bytes from the system's generator, in hexadecimal.
func randomHexadecimal(bytes count: Int) -> String {
  var generator = SystemRandomNumberGenerator()
  return hexadecimal((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
}
