import Foundation
import TestSupport
import Testing

@Suite struct SealedKillTests {
  /// A world in which the helper is killed before the step of the number `KILL`: where it starts git
  /// or age.
  private func world() async throws -> SealedWorld {
    let world = try await SealedWorld()
    world.home.set("KILL", "0")
    for name in ["git", "age"] {
      let program = try await world.home.run("sh", ["-c", "command -v \(name)"]).output
      _ = try world.home.script(
        name,
        """
        if [ "$(cut -c 1-12 /proc/$PPID/comm)" = git-remote-d ]; then
          echo >>"$HOME/steps"
          [ $(wc -l <"$HOME/steps") -eq "$KILL" ] && kill -9 $PPID && exit 1
        fi
        exec \(program.trimmingCharacters(in: .newlines)) "$@"

        """)
    }
    world.home.set(
      "PATH", world.home.homePath + "/bin:" + (world.home.environment["PATH"] ?? ""))
    // git puts the folder of its own programs in front of the path.
    let own = try await world.home.run(
      "sh", ["-c", "mkdir core && ln -s $(git --exec-path)/* core && ln -sf ../bin/git core/git"])
    guard own.status == 0 else { throw ProgramFailed(message: own.errors) }
    world.home.set("GIT_EXEC_PATH", world.home.homePath + "/core")
    try await world.pair()
    return world
  }

  /// Runs a command on a device, killed at one of its steps, and then whole; for every seventh step from
  /// a random one, or for each with `DIARY_FAULTS`. Returns the number of steps.
  private func walk(
    _ world: SealedWorld, before: () async throws -> Void, _ device: String, _ command: [String],
    _ check: () async throws -> Void
  ) async throws -> Int {
    var numbers = SeededGenerator()
    let isLong = ProcessInfo.processInfo.environment["DIARY_FAULTS"] != nil
    let first = isLong ? 1 : Int.random(in: 1...7, using: &numbers)
    for step in stride(from: first, to: 1_000, by: isLong ? 1 : 7) {
      try await before()
      try? FileManager.default.removeItem(atPath: world.home.homePath + "/steps")
      world.home.set("KILL", String(step))
      let killed = try await world.home.run("git", command, in: device)
      world.home.set("KILL", "0")
      let count = try world.home.read("steps").count
      let isDone = count < step
      #expect(isDone == (killed.status == 0), "step \(step): \(killed)")
      let whole = try await world.home.run("git", command, in: device)
      #expect(whole.status == 0, "after a kill at step \(step): \(whole)")
      try await check()
      if isDone { return count }
    }
    return 0
  }

  @Test func `a push that is killed at any step is whole or not there`() async throws {
    let world = try await world()
    var number = 0
    let steps = try await walk(
      world,
      before: {
        number += 1
        try await world.commit("a", "file", "\(number)")
      }, "a", ["push", "--quiet", "origin", "main"]
    ) {
      let tip = try await world.tip("a", "HEAD")
      #expect(try await world.tip("a", "origin/main") == tip)
      try await world.home.git("pull", "--quiet", in: "b")
      #expect(try await world.tip("b", "HEAD") == tip)
    }
    #expect(steps > 20)
    for device in ["a", "b"] {
      #expect(try await world.git(device, "fsck", "--strict").status == 0)
    }
    // A push that had arrived is not sent again.
    #expect(try await world.bundles().count <= number + 1)
  }

  @Test func `a fetch that is killed at any step can be repeated`() async throws {
    let world = try await world()
    var number = 0
    let steps = try await walk(
      world,
      before: {
        number += 1
        try await world.commit("a", "file", "\(number)")
        try await world.home.git("push", "--quiet", "origin", "main", in: "a")
      }, "b", ["fetch", "--quiet", "origin"]
    ) {
      let tip = try await world.tip("a", "HEAD")
      #expect(try await world.tip("b", "origin/main") == tip)
    }
    #expect(steps > 15)
    #expect(try await world.git("b", "fsck", "--strict").status == 0)
    let packs = try FileManager.default.contentsOfDirectory(
      atPath: world.home.homePath + "/b/.git/objects/pack")
    #expect(!packs.contains { $0.hasSuffix(".keep") })
  }

  @Test func `a use without a repository leaves nothing behind, and removes nothing of others`()
    async throws
  {
    let world = try await SealedWorld()
    try await world.pair()
    world.home.set("TMPDIR", world.home.homePath + "/tmp")
    for name in ["diary-sealed-2024/notes.md", "diary-sealed-99999999", "diary-sealed-9-x/y"] {
      try world.home.write("mine", to: "tmp/" + name)
    }
    let before = world.home.files(in: "tmp")
    #expect(try await world.remoteRefs().count == 2)
    #expect(world.home.files(in: "tmp") == before)
    // Some programs leave this signal ignored, and then a program that ends is gone at once.
    let ignoring = try await world.home.run("python3", ["-c", Self.ignoring, world.address])
    // git itself complains of it.
    #expect(ignoring.output.contains("refs/heads/main"), "\(ignoring)")
    #expect(world.home.files(in: "tmp") == before)
  }

  /// Lists an address with SIGCHLD ignored, which a shell does not pass on.
  private static let ignoring = """
    import os, signal, sys
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.execvp("git", ["git", "ls-remote", sys.argv[1]])
    """

  @Test(arguments: ["INT 0", "TERM 0", "TERM $PPID"])
  func `an interrupted use removes what is temporary, with and without a repository`(
    _ signal: String
  ) async throws {
    let world = try await SealedWorld()
    try await world.pair()
    try await world.commit("b", "two", "unsent")
    world.home.set("TMPDIR", world.home.homePath + "/tmp")
    try world.home.write("", to: "tmp/mine")
    // Ctrl-C reaches git, the helper and age; a signal can also reach the helper alone.
    _ = try world.home.script("age", "kill -\(signal); exec sleep 60\n")
    world.home.set("PATH", world.home.homePath + "/bin:" + (world.home.environment["PATH"] ?? ""))
    for (folder, command) in [
      ("", ["ls-remote", world.address]), ("b", ["push", "origin", "main"]),
    ] {
      let ended = try await world.home.run("setsid", ["-w", "git"] + command, in: folder)
      #expect(ended.status != 0, "\(ended)")
      #expect(
        await Sandbox.holds { world.home.files(in: "tmp") == ["mine"] },
        "\(world.home.files(in: "tmp"))")
      #expect(
        await Sandbox.holds {
          !world.home.files(in: "b/.git/diary/sealed").contains { $0.contains(".work") }
        })
    }
    try FileManager.default.removeItem(atPath: world.home.homePath + "/bin/age")
    try await world.home.git("push", "-q", "origin", "main", in: "b")
  }
}
