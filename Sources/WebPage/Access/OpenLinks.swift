import Crypto
import DiaryCore
import Synchronization

/// The codes of links to the page: 128 random bits, good once and for a minute. A link stands in the list of
/// processes, for every user to read, while a browser is started with it.
final class SignInCodes: Sendable {
  /// What became of a code that a browser sent.
  enum RedeemResult { case valid, invalid, tooManyAttempts }

  private struct State {
    /// The hashes of the codes that are out, and when each ends.
    var codes: [(hash: [UInt8], end: ContinuousClock.Instant)] = []
    var invalidCount = 0
    /// When wrong codes are counted anew.
    var countResetAt: ContinuousClock.Instant?
  }

  /// Also counts while the machine sleeps.
  private let clock = ContinuousClock()
  private let lifetime: Duration
  private let state = Mutex(State())

  init(lifetime: Duration = .seconds(60)) { self.lifetime = lifetime }

  /// A new code.
  func issue() -> String {
    let code = randomHexadecimal(bytes: 16)
    let now = clock.now
    state.withLock { state in
      state.codes.removeAll { $0.end <= now }
      state.codes.append((Array(SHA256.hash(data: Array(code.utf8))), now + lifetime))
    }
    return code
  }

  /// Uses up a code. After ten wrong ones in a minute, only a right one is heard.
  func redeem(_ code: String) -> RedeemResult {
    let (hash, now) = (Array(SHA256.hash(data: Array(code.utf8))), clock.now)
    return state.withLock { state in
      var isValid = false
      state.codes.removeAll { code in
        guard isEqualInConstantTime(code.hash, hash) else { return false }
        isValid = code.end > now
        return true
      }
      if isValid { return .valid }
      if state.countResetAt.map({ $0 <= now }) ?? true {
        state.invalidCount = 0
        state.countResetAt = now + .seconds(60)
      }
      state.invalidCount += 1
      return state.invalidCount > 10 ? .tooManyAttempts : .invalid
    }
  }
}
