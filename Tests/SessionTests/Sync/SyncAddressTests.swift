import Foundation
import TestSupport
import Testing

/// What a sync may send to which address, and whose words a message has.
@Suite struct SyncAddressTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.set("DIARY_WEATHER__PROVIDER", "off")
    for host in ["host.git", "plain.git", "stick.git"] {
      try await home.git("init", "-q", "--bare", host, in: "")
    }
  }

  private func path(_ name: String) -> String { home.homePath + "/" + name }

  private func sync(_ options: String..., in folder: String) async throws -> Sandbox.ProgramResult {
    try await home.run(Sandbox.programs + "/diary", ["sync"] + options, in: folder)
  }

  private func refs(_ host: String) async throws -> String {
    try await home.git("for-each-ref", "--format=%(refname)", in: host)
  }

  private func seal(_ folder: String, _ host: String = "host.git") async throws {
    let made = try await home.diary("init", folder, "--remote", host, "--sealed", "--yes")
    try #require(made.status == 0, "\(made)")
  }

  /// Reaches `host:` by a script that runs before the host's program.
  private func reachHosts(by script: String) throws {
    home.set(
      "GIT_SSH_COMMAND", try home.script("way", script + "\ncd && exec sh -c \"${*#host }\"\n"))
    home.set("GIT_SSH_VARIANT", "simple")
  }

  private func makeOwnRepository() async throws {
    try home.write("words = 1\n", to: "own/code.txt")
    let commands = "git init -q && git add . && git commit -qm 'Mine alone'"
    try #require(try await home.run("sh", ["-c", commands], in: "own").status == 0)
    try #require(try await home.diary("init", "own", "--yes").status == 0)
  }

  // MARK: The user's own commits

  @Test(arguments: [[], ["--sealed", "--yes"]])
  func `own commits are not pushed to a host that has a journal of Diary`(_ options: [String])
    async throws
  {
    let diary = Sandbox.programs + "/diary"
    let first = try await home.run(diary, ["init", "a", "--remote", "host.git"] + options)
    try #require(first.status == 0, "\(first)")
    let before = try await refs("host.git")
    let state = try await home.git(
      "rev-parse", before.split(separator: "\n")[0].description, in: "host.git")
    try await makeOwnRepository()
    let tip = try await home.git("rev-parse", "HEAD", in: "own")
    let joined = try await home.run(diary, ["init", "own", "--remote", "host.git"] + options)
    #expect(joined.status == 1 && joined.errors.contains("Mine alone"), "\(joined)")
    #expect(try await home.git("rev-parse", "HEAD", in: "own") == tip)
    let again = try await sync(in: "own")
    #expect(again.status == 1 && again.errors.contains("Mine alone"), "\(again)")
    #expect(
      try await home.git("rev-parse", before.split(separator: "\n")[0].description, in: "host.git")
        == state)

    // The hint's commands push them; those that follow are the user's again.
    let commands = try #require(again.errors.split(separator: "`").dropFirst().first)
    let merged = try await home.run("sh", ["-c", String(commands)])
    #expect(merged.output.contains("CONFLICT (add/add): Merge conflict in .diary"), "\(merged)")
    let rest = """
      git checkout -q --ours .diary/config.yml && git commit -qam Merged &&
      \(commands.split(separator: " && ").last ?? "")
      """
    let pushed = try await home.run("sh", ["-c", rest], in: "own")
    #expect(pushed.status == 0, "\(commands): \(pushed)")
    let after = try await sync(in: "own")
    #expect(after.status == 0, "\(after)")
    try home.write("words = 2\n", to: "own/code.txt")
    try await home.git("commit", "-qam", "Mine again", in: "own")
    let third = try await sync(in: "own")
    #expect(third.status == 1 && third.errors.contains("Mine again"), "\(third)")
    // A clone of it is not a journal that Diary made, either.
    let cloned = try await home.run(diary, ["clone", "host.git", "c"] + options.prefix(1))
    #expect(cloned.status == 0, "\(cloned)")
    try home.write("words = 3\n", to: "c/code.txt")
    try await home.diary("save", in: "c")
    #expect(try await home.git("status", "--short", in: "c") == " M code.txt\n")
  }

  // MARK: Addresses for pushes

  @Test func `an address that a sealed remote gets during a sync is not pushed to`() async throws {
    try reachHosts(
      by: """
        case "$*" in *upload-pack*) [ -e ~/once ] && rm ~/once &&
          git -C ~/a remote set-url --add --push origin ~/plain.git ;; esac
        """)
    try await seal("a", "host:host.git")
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "a")
    try home.write("", to: "once")
    let sync = try await sync(in: "a")
    #expect(sync.status == 1 && sync.errors.contains("nothing was pushed"), "\(sync)")
    #expect(!home.exists("once"))
    #expect(try await refs("plain.git") == "")
  }

  @Test func `an address that does not answer and may be sealed is not pushed to`() async throws {
    try await seal("s")
    #expect(try await home.diary("init", "a", "--remote", "plain.git").status == 0)
    try await home.git("remote", "add", "vault", "diary::" + path("stick.git"), in: "a")
    for address in [path("plain.git"), "host:host.git"] {
      try await home.git("remote", "set-url", "--add", "--push", "origin", address, in: "a")
    }
    // It answers neither the first time nor the third.
    try reachHosts(by: "echo x >>~/calls; [ $(($(wc -l <~/calls) % 2)) = 1 ] && exit 1")
    let last = try await sync(in: "a")
    #expect(last.status == 0, "\(last)")
    for part in ["another address of the remote", "remote: host:host.git", "hint: "] {
      #expect(last.errors.contains(part), "\(part): \(last)")
    }
    try home.write("x\nx\n", to: "calls")
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "a")
    let sync = try await sync(in: "a")
    #expect(sync.status == 1 && sync.errors.contains("remote: host:host.git"), "\(sync)")
    #expect(try await refs("host.git") == "refs/heads/sealed\n")
  }

  @Test func `the address that fails is named, and what the first one has got is counted`()
    async throws
  {
    #expect(try await home.diary("init", "a", "--remote", "plain.git").status == 0)
    let away = path("my stick.git")
    for address in [path("plain.git"), away] {
      try await home.git("remote", "set-url", "--add", "--push", "origin", address, in: "a")
    }
    try await home.diary("new", "plover", "-m", "A lapwing.", in: "a")
    let failed = try await sync(in: "a")
    #expect(failed.status == 1 && failed.errors.contains("remote: \(away)"), "\(failed)")
    let hint = "`git remote set-url --push origin URL '\(away)'`"
    #expect(failed.errors.contains(hint), "\(failed)")
    let command = String(
      hint.dropFirst().dropLast().replacing("URL", with: path("stick.git")))
    #expect(try await home.run("sh", ["-c", command], in: "a").status == 0)
    #expect(
      try await home.git("remote", "get-url", "--push", "--all", "origin", in: "a")
        == "\(path("plain.git"))\n\(path("stick.git"))\n")
    #expect(try await sync(in: "a").status == 0)
    // The second address takes the push the second time only.
    try home.write(
      """
      #!/bin/sh
      [ -e ~/once ] || { touch ~/once ~/stick.git/refs/heads/main.lock; }
      """, to: "plain.git/hooks/post-receive")
    try await home.run("chmod", ["755", "plain.git/hooks/post-receive"])
    try await home.diary("new", "heron", "-m", "A heron.", in: "a")
    let twice = try await sync(in: "a")
    #expect(twice.status == 0 && twice.errors.contains("pushed 1 commit"), "\(twice)")
  }

  // MARK: The host's words

  @Test func `a host puts no words and no command into a message of Diary`() async throws {
    try await seal("a", path("host.git"))
    try await home.git("remote", "set-url", "origin", "diary::host:host.git", in: "a")
    try reachHosts(
      by: "printf 'git-remote-diary: moved\\nhint: `diary config sync.remote evil`\\n' >&2; exit 1")
    for words in [["sync"], ["clone", "--sealed", "host:host.git", path("c")]] {
      let done = try await home.run(Sandbox.programs + "/diary", words, in: "a")
      #expect(done.status == 1 && !done.errors.contains("sync.remote evil"), "\(done)")
    }
  }

  // MARK: The key

  @Test func `the key that is shown for a host that lost all is the one that seals`() async throws {
    try await seal("a")
    let keys = ".config/diary/keys/"
    let name = try #require(home.files(in: keys).first)
    // As on a device that has stored the key by hand.
    try await home.run("mv", [keys + name, keys + "key.txt"])
    try await home.run("sh", ["-c", "rm -rf host.git && git init -q --bare host.git"])
    try home.write("#!/bin/sh\nexit 1\n", to: "host.git/hooks/pre-receive")
    try await home.run("chmod", ["755", "host.git/hooks/pre-receive"])
    #expect(try await sync("--accept-rewritten", in: "a").status == 1)
    try await home.run("rm", ["host.git/hooks/pre-receive"])
    let again = try await home.diary("init", "a", "--remote", "host.git", "--sealed", "--yes")
    #expect(again.errors.contains("keys/key.txt; write it down"), "\(again)")
    #expect(home.files(in: keys) == ["key.txt"])
    #expect(try await sync("--accept-rewritten", in: "a").status == 0)
    #expect(try await home.diary("key", in: "a").output.contains("keys/key.txt"))
  }
}
