import Foundation
import Localization
import SealedRemote

/// An error of a fetch or a push, read from the English output of git and ssh.
enum RemoteError: Sendable, Equatable {
  /// The host is unreachable, for the given reason.
  case unreachable(String)
  /// Authentication failed.
  case unauthorized(String)
  /// This login may read but not write.
  case readOnly(String)
  /// The host's key is unknown, or has changed.
  case unknownHost(changed: Bool)
  /// The repository does not exist, or is not visible to this login.
  case noRepository(String)
  /// The remote rejected the push: a hook, a protected branch.
  case rejected(String)
  /// Another device pushed first.
  case nonFastForward
  /// The branch is locked on the remote by a running or an interrupted push. The value is the
  /// lock's path on the remote.
  case locked(String)
  /// The remote has no branch of that name.
  case noBranch
  /// The command was killed after this many seconds.
  case timedOut(seconds: Double)
  /// `git-remote-diary` refused, with a suggested next step.
  case sealed(String, hint: String?)
  case other(String)

  /// Parses the output of a failed fetch, push or clone.
  init(reading output: String, _ errors: String, isPush: Bool = false) {
    let text = errors.lowercased()
    let has = { (words: [String]) in words.contains { text.contains($0) } }
    let lines = errors.split(separator: "\n")
    let helper = HelperMark.own + "git-remote-diary: "
    if let start = lines.firstIndex(where: { $0.hasPrefix(helper) }) {
      // It speaks the language of this program.
      let mark = HelperMark.own + localized("hint: \("")")
      let hint = lines[start...].first { $0.hasPrefix(mark) }?.dropFirst(mark.count)
      self = .sealed(String(lines[start].dropFirst(helper.count)), hint: hint.map(String.init))
    } else if has(["'remote-diary' is not a git command", "remote helper for 'diary'"]) {
      self = .sealed(
        localized("git does not find git-remote-diary"),
        hint: localized(
          "it belongs beside `diary`; if it is in another folder: `export PATH=\"$PATH\":FOLDER`"))
    } else if has(["couldn't find remote ref", "remote branch"]),
      has(["not found", "couldn't find"])
    {
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
      self = .readOnly(Self.reason(in: errors, fallback: localized("write access is denied")))
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
      self = .unauthorized(Self.reason(in: errors, fallback: localized("a login is required")))
    } else if has([
      "does not appear to be a git repository", "repository not found", "not found",
      "does not exist", "no such file",
    ]) {
      self = .noRepository(Self.reason(in: errors, fallback: localized("it does not exist")))
    } else {
      self = .other(Self.reason(in: errors, fallback: localized("git gave no reason")))
    }
  }

  /// The remote's message, else git's first error: one line, without a URL's password.
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

  /// The text without the passwords of its URLs.
  static func redacted(_ text: String) -> String {
    text.replacing(/:\/\/[^\/\s@]*@/) { match in
      let user = match.output.dropFirst(3).dropLast().prefix { $0 != ":" }
      return "://\(user)@"
    }
  }
}
