import Localization

extension RemoteError {
  /// The error for the user: the problem, the address, and the one command that helps.
  func error(remote: SyncRemote?) -> DiaryError {
    let name = remote.map { localized("the remote \"\($0.name)\"") } ?? localized("the remote")
    var details: [String] = []
    if let remote { details.append(localized("remote: \(remote.redactedURL)")) }
    let kept = localized("nothing is lost; the next sync pushes your changes")
    switch self {
    case .unreachable(let reason):
      // git adds lines that only repeat the first.
      return DiaryError(
        localized("cannot reach \(name): \(reason.prefix { !$0.isNewline })"), details: details,
        hint: localized("run `\(remote?.diagnosticCommand ?? "git fetch")` to see why; \(kept)"))
    case .timedOut(let seconds):
      return DiaryError(
        localized("\(name) did not answer within \(Int(seconds)) s"), details: details, hint: kept)
    case .unauthorized(let reason):
      return DiaryError(
        localized("\(name) refused the login: \(reason)"), details: details,
        hint: localized(
          "run `\(remote?.diagnosticCommand ?? "git fetch")` to see why and to log in; \(kept)"))
    case .readOnly(let reason):
      return DiaryError(
        localized("\(name) allows this login to read, but not to write: \(reason)"),
        details: details,
        hint: localized("ask its owner for write access (a token needs it too); \(kept)"))
    case .unknownHost(let changed):
      return DiaryError(
        changed
          ? localized("the host key of \(name) has changed")
          : localized("ssh does not know the host of \(name) yet"),
        details: details,
        hint: changed
          ? localized(
            "if its owner confirms the new key: `ssh-keygen -R \(remote?.host ?? "HOST")`")
          : localized(
            "run `\(remote?.diagnosticCommand ?? "ssh HOST")` once, and compare the key with its owner's"
          ))
    case .noRepository(let reason):
      return DiaryError(
        localized("\(name) is not a git repository: \(reason)"), details: details,
        hint: localized(
          "create it there (`git init --bare`), or correct the address: "
            + "`\(remote?.changeCommand(to: "URL") ?? "git remote set-url origin URL")`"))
    case .rejected(let reason):
      return DiaryError(
        localized("\(name) refused the push: \(reason)"), details: details,
        hint: localized("ask its owner, or use another branch; \(kept)"))
    case .nonFastForward:
      return DiaryError(
        localized("other devices keep pushing to \(name)"), details: details,
        hint: localized("`diary sync` tries again; \(kept)"))
    case .locked(let path):
      return DiaryError(
        localized(
          "the branch is locked on \(name): another device is pushing, or a push was interrupted"),
        details: details + [localized("lock: \(path)")],
        hint: localized("if no device is pushing, remove that file, then run `diary sync`; \(kept)")
      )
    case .noBranch:
      return DiaryError(localized("\(name) has no such branch"), details: details)
    case .sealed(let reason, let hint):
      return DiaryError(
        localized("cannot sync with \(name): \(reason)"), details: details, hint: hint ?? kept)
    case .other(let reason):
      return DiaryError(
        localized("cannot sync with \(name): \(reason)"), details: details,
        hint: localized("run `\(remote?.diagnosticCommand ?? "git fetch")` to see more; \(kept)"))
    }
  }
}

extension RemoteError {
  /// The error for a user who has no such remote yet: nothing can be sent later, and the remote has no
  /// other address.
  func firstError(_ url: String, command: String = "diary clone") -> DiaryError {
    let remote = SyncRemote(name: "origin", url: url)
    var error = error(remote: remote)
    error.message = error.message.replacing(
      localized("the remote \"\(remote.name)\""), with: localized("the remote"))
    let address = shellWord(remote.redactedURL)
    let testCommand = remote.sshTarget.map { "ssh -T \($0)" } ?? "git ls-remote \(address)"
    let again = localized("nothing was created here; then run `\(command)` again")
    switch self {
    case .noRepository:
      error.hint = localized("is the address right? Test it with `\(testCommand)`; \(again)")
    case .unauthorized, .other:
      error.hint = localized("run `\(testCommand)` to see why; \(again)")
    case .unknownHost, .sealed(_, hint: .some): break
    default: error.hint = localized("nothing was created here; try `\(command)` again later")
    }
    return error
  }
}

/// A remote in the local git config.
struct SyncRemote: Sendable, Equatable {
  var name: String
  /// The address after git's `insteadOf` rules.
  var url: String

  /// True if the address is one for pushes alone.
  var isForPushes = false

  /// The remote with the address of a push that failed.
  func pushed(to address: String?) -> SyncRemote {
    guard let address, address != url else { return self }
    return SyncRemote(name: name, url: address, isForPushes: true)
  }

  /// git's command for another address.
  func changeCommand(to address: String) -> String {
    isForPushes
      ? "git remote set-url --push \(name) \(address) \(shellWord(redactedURL))"
      : "git remote set-url \(name) \(address)"
  }

  /// The address without a password.
  var redactedURL: String { RemoteError.redacted(url) }

  /// The user and host of an SSH address; `nil` for other addresses.
  var sshTarget: String? {
    if url.hasPrefix("ssh://") {
      let rest = url.dropFirst(6).prefix { $0 != "/" }
      let parts = rest.split(separator: ":", maxSplits: 1)
      guard let host = parts.first else { return nil }
      return parts.count == 2 ? "-p \(parts[1]) \(host)" : String(host)
    }
    guard !url.contains("://"), !url.contains("::"), let colon = url.firstIndex(of: ":"),
      !url[..<colon].contains("/")
    else { return nil }
    return String(url[..<colon])
  }

  /// The host of an SSH address.
  var host: String? {
    sshTarget?.split(separator: " ").last.map {
      $0.split(separator: "@").last.map(String.init) ?? ""
    }
  }

  /// A command for the user that shows the error and may prompt, which Diary may not.
  var diagnosticCommand: String {
    sshTarget.map { "ssh -T \($0)" }
      ?? "git ls-remote \(isForPushes ? shellWord(redactedURL) : name)"
  }
}
