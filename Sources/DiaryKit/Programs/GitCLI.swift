import Foundation
import GitHistory
import Localization
import SealedRemote

/// The user's own `git`, for what libgit2 cannot do: fetch, push, clone, and finishing a merge. It
/// uses the user's configuration, keys, agents, credential helpers and proxies. It never prompts,
/// and it has a timeout.
struct GitCLI: Sendable {
  let programs: ProcessRunner
  /// The working directory; `nil` if there is none yet.
  let workTree: String?
  /// The timeout in seconds, after which git is killed.
  let timeout: Double

  /// Settings of every run. What git writes is as durable as a save, and nothing is packed, run as
  /// a hook or fetched in addition.
  private static let settings = [
    "core.fsync=all", "core.fsyncMethod=fsync", "gc.auto=0", "maintenance.auto=false",
    "fetch.recurseSubmodules=false",
    "push.followTags=false", "push.recurseSubmodules=no", "core.fsmonitor=false",
    "http.lowSpeedLimit=1", "http.lowSpeedTime=60", "advice.detachedHead=false",
  ]

  /// Runs git with these arguments. Its output is English and meant for programs.
  func run(
    _ arguments: [String], with variables: [String: String] = [:]
  ) async throws(DiaryError) -> ProcessRunner.Result {
    guard programs.isOnPath("git") else {
      throw DiaryError(
        localized("git is not installed, and sync needs it"),
        hint: localized(
          "install it (Debian: `sudo apt install git`); everything else works without it"))
    }
    var variables = variables
    variables["GIT_SSH_COMMAND"] = await sshCommand()
    guard let result = try await start(prefix: [], arguments: arguments, variables: variables)
    else {
      throw RemoteError.timedOut(seconds: timeout).error(remote: nil)
    }
    return result
  }

  /// Runs git on the local repository, without the user's hooks; `nil` if the timeout killed it.
  /// With `isNice` it runs at the lowest priority.
  func runLocally(
    _ arguments: [String], with variables: [String: String] = [:], isNice: Bool = false
  ) async throws(DiaryError) -> ProcessRunner.Result? {
    try await start(
      prefix: isNice ? ["nice", "-n", "19"] : [],
      arguments: ["-c", "core.hooksPath=/dev/null"] + arguments,
      variables: variables.merging(["GIT_OPTIONAL_LOCKS": "0"]) { $1 })
  }

  private func start(
    prefix: [String], arguments: [String], variables: [String: String]
  ) async throws(DiaryError) -> ProcessRunner.Result? {
    try await programs.run(
      prefix + ["git"] + workTreeOptions + Self.settings.flatMap { ["-c", $0] } + arguments,
      input: [],
      timeout: timeout, environment: environment.merging(variables) { $1 }, ownSession: true)
  }

  private var workTreeOptions: [String] { workTree.map { ["-C", $0] } ?? [] }

  /// The extra options of a push to folders alone. git does not pass its own settings to another
  /// repository, and by default it does not sync single objects there.
  static func durablePushOptions(to addresses: [String]) -> [String] {
    // git's rule: an address with a colon before its first slash is remote.
    let areFolders = addresses.allSatisfy { address in
      address.hasPrefix("file://") || !address.prefix { $0 != "/" }.contains(":")
    }
    guard areFolders else { return [] }
    return ["--receive-pack=git -c core.fsync=all -c core.fsyncMethod=fsync receive-pack"]
  }

  /// The user's variables without those that name another repository, and with every prompt
  /// disabled. git, ssh and their helpers then fail with a message.
  private var environment: [String: String] {
    var variables = programs.environment.variables
    for name in Self.localVariables { variables[name] = nil }
    // Only the messages are English: the user's hooks need the character set. LC_ALL would decide
    // it, too, and a LANGUAGE the messages.
    if let all = variables["LC_ALL"], !all.isEmpty {
      for name in variables.keys where name.hasPrefix("LC_") { variables[name] = nil }
      variables["LANG"] = all
    }
    variables["LC_ALL"] = nil
    variables["LANGUAGE"] = nil
    // git looks for `git-remote-diary` there, and a service has a short path.
    if let path = variables["PATH"], !path.isEmpty {
      variables["PATH"] = path + ":" + programs.environment.executableDirectory
    }
    variables["LC_MESSAGES"] = "C"
    // Unlike git's, the messages of this program are shown as they are.
    variables["GIT_REMOTE_DIARY_LANGUAGE"] =
      Translation.language(of: programs.environment.variables) ?? "en"
    variables[HelperMark.variable] = HelperMark.own
    variables["GIT_TERMINAL_PROMPT"] = "0"
    variables["GIT_ASKPASS"] = ""
    variables["SSH_ASKPASS_REQUIRE"] = "never"
    variables["GCM_INTERACTIVE"] = "never"
    return variables
  }

  /// The variables that `git rev-parse --local-env-vars` lists.
  static let localVariables = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE",
    "GIT_INTERNAL_SUPER_PREFIX",
  ]

  /// The user's ssh, which may not prompt and must detect a dead connection. A program other than
  /// OpenSSH, or one that `GIT_SSH` names, is not changed.
  private func sshCommand() async -> String? {
    let variables = environment
    var command = variables["GIT_SSH_COMMAND"]
    if command == nil {
      let result = try? await programs.run(
        ["git"] + workTreeOptions + ["config", "core.sshCommand"], input: [], timeout: 10,
        environment: variables)
      let set = result.map { String(decoding: $0.output, as: UTF8.self) }?
        .trimmingCharacters(in: .whitespacesAndNewlines)
      command = set?.isEmpty == false ? set : nil
    }
    if command == nil, variables["GIT_SSH"] != nil { return nil }
    let line = command ?? "ssh"
    let program = line.split(separator: " ").first.map(String.init) ?? line
    guard (program as NSString).lastPathComponent == "ssh" else { return line }
    return line + " -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15"
      + " -o ServerAliveCountMax=4"
  }
}
