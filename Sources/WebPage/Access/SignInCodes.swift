import Crypto
import DiaryCore
import Synchronization

/// The codes of sign-in links: 128 random bits, valid once and for a minute. A link is visible to
/// every user in the process list while a browser is started with it.
final class SignInCodes: Sendable {
  /// The result of checking a code.
  enum RedeemResult { case valid, invalid, tooManyAttempts }

  private struct State {
    /// The hashes of the issued codes, with their expiry.
    var codes: [(hash: [UInt8], end: ContinuousClock.Instant)] = []
    var invalidCount = 0
    /// The time at which the count of wrong codes is reset.
    var countResetAt: ContinuousClock.Instant?
  }

  /// A clock that also advances while the machine is suspended.
  private let clock = ContinuousClock()
  private let lifetime: Duration
  private let state = Mutex(State())

  init(lifetime: Duration = .seconds(60)) { self.lifetime = lifetime }

  /// Issues a new code.
  func issue() -> String {
    let code = randomHexadecimal(bytes: 16)
    let now = clock.now
    state.withLock { state in
      state.codes.removeAll { $0.end <= now }
      state.codes.append((Array(SHA256.hash(data: Array(code.utf8))), now + lifetime))
    }
    return code
  }

  /// Consumes a code. After ten wrong ones in a minute, further wrong ones get `tooManyAttempts`.
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
