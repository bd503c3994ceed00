import Foundation
import GitServers
import TestSupport
import Testing

/// `diary` with a sealed remote, whose address begins with `diary::`.
@Suite struct SyncSealedTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    let keys = home.homePath + "/.config/diary/keys"
    try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: true)
    let made = try await home.run("age-keygen", ["-o", keys + "/journal.txt"])
    guard made.status == 0 else { throw ProgramFailed(message: made.errors) }
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    let created = try await home.diary("init", "a", "--remote", "diary::remote.git")
    #expect(created.status == 0 && !created.errors.contains("can read"), "\(created)")
  }

  private func sync(_ device: String, _ options: String...) async throws -> Sandbox.ProgramResult {
    try await home.run(Sandbox.programs + "/diary", ["sync"] + options, in: device)
  }

  private func write(_ device: String, _ word: String) async throws {
    let made = try await home.diary("new", word, "--message", "Text of \(word).", in: device)
    #expect(made.status == 0, "\(made)")
  }

  @Test func `settings of git for pushes do not stop a sealed remote`() async throws {
    try await home.git("config", "--global", "push.useForceIfIncludes", "true", in: "")
    try await home.git("config", "--global", "push.pushOption", "ci.skip", in: "")
    try await write("a", "plover")
    let done = try await sync("a")
    #expect(done.status == 0, "\(done)")
    try await home.git("commit", "-q", "--allow-empty", "-m", "by hand", in: "a")
    try await home.git("push", "-q", "--force-with-lease", "origin", "main", in: "a")
    #expect(try await sync("a").errors.contains("nothing new"))
  }

  private static let rounds =
    ProcessInfo.processInfo.environment["DIARY_DEVICES"] == nil ? 6 : 100

  @Test(arguments: ["a folder", "ssh"])
  func `three devices that write and sync at once lose no word`(_ place: String) async throws {
    let server = place == "ssh" ? try await SSHServer.start(home) : nil
    defer { server?.stop() }
    let bare = home.homePath + "/remote.git"
    let address = "diary::" + (server == nil ? bare : "ssh://\(SSHServer.alias)\(bare)")
    try await home.git("remote", "set-url", "origin", address, in: "a")
    let devices = ["a", "b", "c"]
    for device in devices.dropFirst() {
      let cloned = try await home.diary("clone", address, device)
      #expect(cloned.status == 0, "\(cloned)")
    }
    for round in 0..<Self.rounds {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for device in devices {
          group.addTask {
            try await write(device, "plover\(device)\(round)")
            let result = try await sync(device)
            #expect(
              result.status == 0 || result.errors.contains("`diary sync` tries again"),
              "\(device): \(result)")
          }
        }
        try await group.waitForAll()
      }
    }
    for device in devices + devices { #expect(try await sync(device).status == 0) }
    let cloned = try await home.diary("clone", address, "new")
    #expect(cloned.status == 0, "\(cloned)")
    let tree = try await home.git("rev-parse", "HEAD^{tree}", in: "a")
    for device in devices + ["new"] {
      #expect(try await home.git("rev-parse", "HEAD^{tree}", in: device) == tree)
      let text = try home.files(in: device).map { try home.read("\(device)/\($0)") }.joined()
      for word in devices.flatMap({ device in
        (0..<Self.rounds).map { "Text of plover\(device)\($0)." }
      }) {
        #expect(text.contains(word), "\(device): \(word)")
      }
      try await home.git("fsck", "--strict", "--full", in: device)
    }
    let objects = try await home.git("cat-file", "--batch-all-objects", "--batch", in: "remote.git")
    #expect(!objects.contains("plover") && !objects.contains("Diary"))
  }

  // MARK: A host in trouble

  /// Cut off before the host takes the push, and after.
  @Test(arguments: ["pre-receive", "reference-transaction"])
  func `a host that is cut off in the middle of a push costs nothing`(_ hook: String) async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    let bare = home.homePath + "/remote.git"
    let address = "diary::ssh://\(SSHServer.alias)\(bare)"
    try await home.git("remote", "set-url", "origin", address, in: "a")
    try await write("a", "plover")
    try home.write(
      """
      #!/bin/sh
      case "$1" in ''|committed) echo $$ >'\(home.homePath)/pid'; sleep 60;; esac

      """, to: "remote.git/hooks/" + hook)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(bare)/hooks/\(hook)")
    async let syncing = sync("a")
    #expect(await Sandbox.holds { (try? home.read("pid").hasSuffix("\n")) == true })
    server.stop()
    let cut = try await syncing
    #expect(
      cut.status == 1 && cut.errors.contains("Connection refused")
        && cut.errors.contains("the next sync pushes your changes"), "\(cut)")
    try FileManager.default.removeItem(atPath: "\(bare)/hooks/\(hook)")
    try server.open()
    let again = try await sync("a")
    #expect(again.status == 0, "\(again)")
    #expect(try await home.diary("clone", address, "b").status == 0)
    #expect(try await home.diary("list", in: "b").output.contains("plover"))
    try await home.git("fsck", "--strict", in: "remote.git")
  }

  @Test func `a full host is named, and takes the push when it has room`() async throws {
    let words = ["-t", "tmpfs", "-o", "size=2m", "tmpfs"]
    let isMounted = try await home.withMount("mount", words, at: "disk") {
      try await home.git("init", "-q", "--bare", "disk/host.git", in: "")
      let made = try await home.diary("init", "p", "--remote", "disk/host.git", "--sealed", "--yes")
      #expect(made.status == 0, "\(made)")
      let before = try await home.git("rev-parse", "sealed", in: "disk/host.git")
      try await home.run("sh", ["-c", "cat /dev/zero >disk/fill"])
      try await write("p", "plover")
      let full = try await sync("p")
      #expect(full.status == 1 && full.errors.lowercased().contains("no space left"), "\(full)")
      #expect(full.errors.contains("hint:") && !full.errors.contains("ssh"), "\(full)")
      #expect(try await home.git("rev-parse", "sealed", in: "disk/host.git") == before)
      try await home.run("rm", ["disk/fill"])
      let again = try await sync("p")
      #expect(again.status == 0, "\(again)")
      #expect(try await home.diary("clone", "--sealed", "disk/host.git", "b").status == 0)
      #expect(try await home.diary("list", in: "b").output.contains("plover"))
    }
    if !isMounted { try Test.cancel("no disk may be mounted here") }
  }

  @Test func `without its key a sync says so and changes nothing, and with it goes on`()
    async throws
  {
    let key = ".config/diary/keys/journal.txt"
    let text = try home.read(key)
    let foreign = try await home.run("age-keygen", []).output
    try await write("a", "plover")
    let before = try await home.git("rev-parse", "sealed", in: "remote.git")
    for (name, content) in [
      ("no key", nil), ("half a key", String(text.prefix(160))), ("another key", foreign),
    ] {
      try? FileManager.default.removeItem(atPath: home.homePath + "/" + key)
      if let content { try home.write(content, to: key) }
      let refused = try await sync("a")
      #expect(
        refused.status == 1 && refused.errors.contains("`diary key add` stores its key"),
        "\(name): \(refused)")
      let plain = try await home.run("git", ["fetch"], in: "a")
      #expect(plain.status != 0 && plain.errors.contains("diary key add"), "\(name): \(plain)")
      #expect(try await home.git("rev-parse", "sealed", in: "remote.git") == before)
    }
    home.set("LANG", "ko_KR.UTF-8")
    let korean = try await sync("a")
    #expect(korean.errors.contains("이 원격 저장소는 다른 키로 봉인되어 있습니다"), "\(korean)")
    #expect(korean.errors.contains("힌트: `diary key add`"), "\(korean)")
    let clone = try await home.diary("clone", "--sealed", "remote.git", "k")
    #expect(clone.errors.contains("다른 키로 봉인되어") && !home.exists("k"), "\(clone)")
    try home.write(text, to: key)
    #expect(try await sync("a").status == 0)
  }

  @Test func `a host that goes back is named, and sync takes it on request`() async throws {
    try await write("a", "plover")
    #expect(try await sync("a").status == 0)
    try await home.git("update-ref", "refs/heads/sealed", "sealed~", in: "remote.git")
    try await write("a", "lapwing")
    let refused = try await sync("a")
    #expect(
      refused.status == 1 && refused.errors.contains("an older or another state"), "\(refused)")
    #expect(
      refused.errors.contains("diary sync --accept-rewritten") && !refused.errors.contains("ssh"))
    #expect(try await sync("a", "--accept-rewritten").status == 0)
    #expect(try await home.diary("clone", "diary::remote.git", "b").status == 0)
    #expect(try await home.diary("list", in: "b").output.contains("lapwing"))

    try await home.git("update-ref", "-d", "refs/heads/sealed", in: "remote.git")
    #expect(try await sync("a").errors.contains("the host is empty"))
    #expect(try await sync("a", "--accept-rewritten").status == 0)
    #expect(try await home.diary("clone", "diary::remote.git", "c").status == 0)
  }

  @Test func `a sealed host gets nothing in plain because diary:: was forgotten`() async throws {
    let plain = try await home.diary("init", "p", "--remote", "remote.git")
    #expect(plain.status == 1 && plain.errors.contains("diary::ADDRESS"), "\(plain)")
    #expect(try await sync("p").status == 1)
    #expect(try await home.git("for-each-ref", in: "remote.git").split(separator: "\n").count == 1)
  }

  @Test func `without the key, clone says where it belongs and makes nothing`() async throws {
    home.set("XDG_CONFIG_HOME", home.homePath + "/other")
    let clone = try await home.diary("clone", "diary::remote.git", "b")
    #expect(
      clone.status == 1 && clone.errors.contains("there is no key for this sealed remote"),
      "\(clone)")
    #expect(
      clone.errors.contains("\(home.homePath)/other/diary/keys/") && !home.exists("b"), "\(clone)")
  }

  @Test func `a host that cannot be reached is no matter of ssh's own test`() async throws {
    try await home.git("remote", "set-url", "origin", "diary::me@localhost:diary.git", in: "a")
    home.set(
      "GIT_SSH_COMMAND",
      try home.script("away", "echo 'ssh: connect to host: Connection refused' >&2; exit 255\n"))
    let away = try await sync("a")
    #expect(away.status == 1 && away.errors.contains("Connection refused"), "\(away)")
    #expect(
      away.errors.contains("git ls-remote origin") && !away.errors.contains("ssh -T"), "\(away)")
  }

  @Test func `git finds the helper beside diary without a path to it`() async throws {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    home.set("PATH", path)
    try #require(try await home.run("git", ["ls-remote", "origin"], in: "a").status != 0)
    try await write("a", "plover")
    let result = try await sync("a")
    #expect(result.status == 0, "\(result)")
  }

  @Test func `leave keeps the address and the key, and removes the copy`() async throws {
    // What only another device wrote is no autosave of this one.
    #expect(try await home.diary("clone", "diary::remote.git", "b").status == 0)
    try await write("b", "plover")
    #expect(try await sync("b").status == 0)
    try await home.git("fetch", "-q", in: "a")
    try await home.git("update-ref", "-d", "refs/remotes/origin/main", in: "a")
    let left = try await home.diary("leave", "--yes", in: "a")
    #expect(left.status == 0 && left.errors.contains("The remote \"origin\" is sealed"), "\(left)")
    #expect(!home.exists("a/.git/diary") && home.exists(".config/diary/keys/journal.txt"))
    #expect(try await home.git("for-each-ref", "refs/diary", in: "a") == "")
    try await home.git("fetch", "-q", in: "a")
    #expect(try await home.git("status", "-sb", in: "a").hasPrefix("## main...origin/main"))
  }
}
