import Foundation
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

  private static let rounds =
    ProcessInfo.processInfo.environment["DIARY_DEVICES"] == nil ? 6 : 100

  @Test func `three devices that write and sync at once lose no word`() async throws {
    let devices = ["a", "b", "c"]
    for device in devices.dropFirst() {
      let cloned = try await home.diary("clone", "diary::remote.git", device)
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
    let cloned = try await home.diary("clone", "diary::remote.git", "new")
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
