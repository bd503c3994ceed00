import CLibgit2
import Glibc

extension GitRepository {
  /// Reads HEAD.
  package func head() throws(GitError) -> Head {
    var reference: OpaquePointer?
    try GitError.check(
      GitError.read(&reference) { git_reference_lookup(&$0, repository, "HEAD") }, "read", headPath)
    defer { git_reference_free(reference) }
    if let commit = git_reference_target(reference) { return .detached(ObjectID(commit.pointee)) }
    guard let symbol = git_reference_symbolic_target(reference) else {
      throw GitError("read", headPath, .damaged, "it names neither a branch nor a commit")
    }
    let name = String(cString: symbol)
    let branch = name.hasPrefix("refs/heads/") ? String(name.dropFirst("refs/heads/".count)) : name
    guard let commit = try target(of: name) else { return .unborn(branch: branch) }
    return .branch(branch, commit)
  }

  var headPath: String { location.gitDirectory + "/HEAD" }

  /// Returns the current commit of a ref, or `nil` if the ref does not exist.
  func target(of reference: String) throws(GitError) -> CommitID? {
    var id = git_oid()
    let code = GitError.read(&id) { git_reference_name_to_id(&$0, repository, reference) }
    if code == GIT_ENOTFOUND.rawValue { return nil }
    try GitError.check(code, "read", reference)
    return ObjectID(id)
  }

  /// Returns the operation of the user's git in progress (`merge`, `rebase`, `cherry-pick`,
  /// `revert`, `bisect`, `squash`, `am`, `sequencer`, `commit`), or `nil`.
  func operationFile() -> String? {
    location.operation() ?? (isCommitMessageOpen() ? "commit" : nil)
  }

  /// Returns why a sitting cannot be committed now, or `nil` if it can.
  package func deferReason() throws(GitError) -> DeferReason? {
    if let operation = operationFile() { return .operation(operation) }
    if case .detached = try head() { return .detached }
    switch try openIndex() {
    case .unreadable(let reason): return .indexUnreadable(reason)
    case .readable(let index): return index.hasConflicts ? .operation("conflict") : nil
    }
  }

  /// True if the user has git sign commits (`commit.gpgSign`).
  package func isCommitSigningEnabled() -> Bool { isConfigured("commit.gpgSign", unset: false) }

  /// Returns the author of commits: `GIT_AUTHOR_NAME` and `GIT_AUTHOR_EMAIL`, else git's
  /// configuration, else the user's name on this machine.
  package func identity() -> GitSignature {
    let environment = GitLibrary.environment
    let name = headerText(environment["GIT_AUTHOR_NAME"]) ?? headerText(configValue("user.name"))
    let email =
      headerText(environment["GIT_AUTHOR_EMAIL"]) ?? headerText(configValue("user.email"))
      ?? headerText(environment["EMAIL"])
    if let name, let email { return GitSignature(name: name, email: email) }
    let user = UserAccount()
    return GitSignature(
      name: name ?? headerText(user.fullName) ?? user.login,
      email: email ?? "\(user.login)@\(user.host)")
  }

  /// Removes the bytes that git also omits from a commit's header; `nil` if no text remains.
  private func headerText(_ text: String?) -> String? {
    let allowed = (text ?? "").unicodeScalars.filter { $0.value >= 32 && $0 != "<" && $0 != ">" }
    let edges = Set(" .,:;\"\\'".unicodeScalars)
    let trimmed = allowed.drop { edges.contains($0) }.reversed().drop { edges.contains($0) }
      .reversed()
    return trimmed.isEmpty ? nil : String(String.UnicodeScalarView(trimmed))
  }
}

/// The names of the user and the machine from the system.
private struct UserAccount {
  var login = "diary"
  var fullName: String?
  var host = "localhost"

  init() {
    if let account = getpwuid(getuid()) {
      login = String(cString: account.pointee.pw_name)
      fullName = account.pointee.pw_gecos.map {
        String(String(cString: $0).prefix { $0 != "," })
      }
    }
    var name = [CChar](repeating: 0, count: 256)
    if gethostname(&name, name.count - 1) == 0, name[0] != 0 {
      host = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? host }
    }
  }
}
