import Foundation
import Localization

/// Why a fetch or a push did not work, read from what git and ssh say in English.
enum RemoteError: Sendable, Equatable {
  /// The host cannot be reached, by its own words.
  case unreachable(String)
  /// The far end knows nobody of that name or key.
  case unauthorized(String)
  /// The far end lets this login read, and not write.
  case readOnly(String)
  /// The host's key is unknown, or another than before.
  case unknownHost(changed: Bool)
  /// There is no such repository, or none that may be seen.
  case noRepository(String)
  /// The far end took the push and said no: a hook, a protected branch.
  case rejected(String)
  /// Somebody else pushed first.
  case nonFastForward
  /// The branch is locked there: somebody pushes at this moment, or a push was cut off. The lock, as
  /// the far end names it.
  case locked(String)
  /// It has no branch of that name.
  case noBranch
  /// Killed after so many seconds.
  case timedOut(seconds: Double)
  case other(String)

  /// Reads what a failed fetch, push or clone printed.
  init(reading output: String, _ errors: String, isPush: Bool = false) {
    let text = errors.lowercased()
    let has = { (words: [String]) in words.contains { text.contains($0) } }
    if has(["couldn't find remote ref", "remote branch"]), has(["not found", "couldn't find"]) {
      self = .noBranch
    } else if let line = output.split(separator: "\n").first(where: { $0.hasPrefix("!\t") }) {
      let isLate = ["(fetch first)", "(non-fast-forward)", "(stale info)", "incorrect old value"]
      if let lock = errors.firstMatch(of: /Unable to create '([^']+\.lock)': File exists/) {
        self = .locked(String(lock.1).replacing("/./", with: "/"))
      } else if isLate.contains(where: { line.contains($0) })
        || has(["cannot lock ref", "failed to lock"])
      {
        self = .nonFastForward
      } else {
        self = .rejected(
          Self.reason(in: errors, fallback: String(line.split(separator: "\t").last ?? "")))
      }
    } else if isPush,
      has([
        "error: 403", "access denied", "service not enabled", "write access", "read only",
        "read-only", "not allowed to push", "denied for writing",
      ]) || errors.contains(/ermission to \S+ denied to/)
    {
      self = .readOnly(Self.reason(in: errors, fallback: localized("it is refused")))
    } else if has(["host key verification failed", "remote host identification has changed"]) {
      self = .unknownHost(changed: text.contains("identification has changed"))
    } else if has([
      "could not resolve", "couldn't resolve", "name or service not known",
      "temporary failure in name", "network is unreachable", "no route to host",
      "connection refused", "connection timed out", "connection reset", "failed to connect",
      "couldn't connect", "operation timed out", "early eof", "hung up unexpectedly",
      "unexpected disconnect", "rpc failed", "connection closed", "operation too slow",
      "broken pipe", "empty reply from server", "transfer closed", "host is down",
    ]), !text.contains("permission denied") {
      self = .unreachable(Self.reason(in: errors, fallback: localized("no answer")))
    } else if has([
      "permission denied", "authentication failed", "could not read username",
      "could not read password", "terminal prompts disabled", "invalid username",
      "error: 401", "error: 403", "access denied", "too many authentication failures",
    ]) {
      self = .unauthorized(Self.reason(in: errors, fallback: localized("it asks for a login")))
    } else if has([
      "does not appear to be a git repository", "repository not found", "not found",
      "does not exist", "no such file",
    ]) {
      self = .noRepository(Self.reason(in: errors, fallback: localized("it is not there")))
    } else {
      self = .other(Self.reason(in: errors, fallback: localized("git gave no reason")))
    }
  }

  /// The far end's own words, else git's first complaint; one line, without a password of a URL.
  static func reason(in errors: String, fallback: String) -> String {
    let lines = errors.split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let remote = lines.filter { $0.hasPrefix("remote: ") }.map { $0.dropFirst(8) }
      .filter { !$0.allSatisfy { " -=*#".contains($0) } }
    if !remote.isEmpty {
      return redacted(remote.prefix(3).joined(separator: "; "))
    }
    let plain = lines.filter { line in
      let skipped = [
        "hint:", "To ", "Please make sure", "and the repository", "error: failed to push some refs",
      ]
      return !line.isEmpty && !skipped.contains { line.hasPrefix($0) }
    }
    guard var line = plain.first else { return fallback }
    for prefix in ["fatal: ", "error: ", "ssh: "] where line.hasPrefix(prefix) {
      line = String(line.dropFirst(prefix.count))
    }
    return redacted(line)
  }

  /// A text in which no URL carries a name's password any more.
  static func redacted(_ text: String) -> String {
    text.replacing(/:\/\/[^\/\s@]*@/) { match in
      let user = match.output.dropFirst(3).dropLast().prefix { $0 != ":" }
      return "://\(user)@"
    }
  }
}
