import Foundation
import Glibc
import TestSupport
import Testing

/// More events than the watcher can handle at once: saves may be late, but nothing is lost and
/// memory does not grow.
@Suite(.serialized) struct StormTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "1s")
    home.set("DIARY_STAMP", "new")
    try await home.diary("init", "j")
  }

  @Test func `after a queue overflow the watcher rescans everything`() async throws {
    for name in 0..<300 { try home.write("Begun.\n", to: "j/e\(name).md") }
    try home.write("Renamed again and again.\n", to: "j/z.md")
    try await home.diary("save", in: "j")
    let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let limit = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    try #require(limit < 200_000, "this machine's queue is too long to fill in a test")
    try await watching { (watcher: BackgroundProcess) async throws -> Void in
      let memory = watcher.memory
      for storm in 1...FaultJournal.rounds(1, exhaustive: 10) {
        watcher.signal(SIGSTOP)
        // A listener that reads nothing, like the stopped watcher, shows that events were lost.
        let idle = IdleListener(home.homePath + "/j")
        for name in 0..<300 { try home.write("Storm \(storm).\n", to: "j/e\(name).md") }
        // Each rename makes two events.
        for _ in 0...limit / 2 { swap("z.md", "y.md") }
        try home.write("Not heard.\n", to: "j/new\(storm)/deep/er.md")
        try FileManager.default.removeItem(atPath: home.homePath + "/j/e\(storm).md")
        #expect(idle.hasOverflown)
        watcher.signal(SIGCONT)
        try await expectCaughtUp(watcher)
        try home.write("Heard again.\n", to: "j/new\(storm)/deep/later.md")
        try await expectCaughtUp(watcher)
      }
      #expect(watcher.memory < memory + 64_000, "from \(memory) to \(watcher.memory) kB")
    }
  }

  @Test func `the watcher keeps up with a thousand writes a second`() async throws {
    try await watching { (watcher: BackgroundProcess) async throws -> Void in
      var memories: [Int] = []
      for second in 1...FaultJournal.rounds(1, exhaustive: 60) {
        let end = ContinuousClock.now + .seconds(1)
        for number in 0..<1_000 {
          try home.write("Second \(second), \(number).\n", to: "j/e\(number % 200).md")
        }
        try await Task.sleep(until: end)
        memories.append(watcher.memory)
      }
      try await expectCaughtUp(watcher)
      let most = memories.prefix(20).max() ?? 0
      #expect(watcher.memory < most + 64_000, "\(memories), \(watcher.memory) kB")
    }
  }

  @Test func `a watcher catches up after the machine slept`() async throws {
    try await watching { (watcher: BackgroundProcess) async throws -> Void in
      for round in 1...FaultJournal.rounds(1, exhaustive: 20) {
        try home.write("Before it sleeps, \(round).\n", to: "j/a\(round).md")
        watcher.signal(SIGSTOP)
        try home.write("While it sleeps, \(round).\n", to: "j/b\(round).md")
        try home.write("Longer than a sitting, \(round).\n", to: "j/a\(round).md")
        try await Task.sleep(for: .milliseconds(2_000))
        watcher.signal(SIGCONT)
        try await expectCaughtUp(watcher)
      }
    }
  }

  @Test(arguments: [("watches", 5), ("instances", 0)])
  func `the watcher polls the folder if inotify is exhausted`(
    _ what: String, _ limit: Int
  ) async throws {
    let file = "/proc/sys/user/max_inotify_\(what)"
    let limited = ["-U", "-r", "sh", "-c", "echo \(limit) > \(file) && exec \"$@\""]
    let probe = try await home.run("unshare", limited + ["sh", "true"])
    if probe.status != 0 { try Test.cancel("no limit of inotify may be set here") }
    for name in 1...10 { try home.write("Begun.\n", to: "j/\(name)/e.md") }
    try await BackgroundProcess.run(
      home, "unshare", limited + ["sh", Sandbox.programs + "/diary", "watch", "-v"], in: "j"
    ) { (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      #expect(watcher.output.contains("max_user_\(what)"), "\(watcher.output)")
      let status = try await home.diary("status", in: "j")
      #expect(
        status.output.contains("checking every 10 s") && status.output.contains("max_user_\(what)"),
        "\(status)")
      try home.write("Seen by looking.\n", to: "j/7/e.md")
      try await expectCaughtUp(watcher)
    }
  }

  @Test func `ten thousand new files at once are saved before the watcher ends`() async throws {
    let count = FaultJournal.rounds(300, exhaustive: 10_000)
    try await watching { (watcher: BackgroundProcess) async throws -> Void in
      for number in 1...count {
        try home.write("Words \(number).\n", to: "j/2026/\(number % 12)/e\(number).md")
      }
      try await Task.sleep(for: .milliseconds(300))
      let start = Date()
      watcher.signal(SIGTERM)
      #expect(await watcher.prints("ended", within: 90), "\(watcher.output.suffix(500))")
      print("\(count) new files: ended after \(Date().timeIntervalSince(start)) s")
    }
    #expect(try await committedFiles().count { $0.hasSuffix(".md") } == count)
  }

  /// Renames one of the two files to the other name.
  private func swap(_ first: String, _ second: String) {
    let (first, second) = (home.homePath + "/j/" + first, home.homePath + "/j/" + second)
    if rename(first, second) != 0 { rename(second, first) }
  }

  private func committedFiles() async throws -> [Substring] {
    try await home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j").split(separator: "\n")
  }

  /// Checks that the branch soon contains all files on disk.
  private func expectCaughtUp(_ watcher: BackgroundProcess) async throws {
    var left = ""
    let isDone = try await Sandbox.holds {
      left = try await home.git("--no-optional-locks", "status", "--porcelain", in: "j")
      return left.isEmpty
    }
    #expect(isDone, "\(left.prefix(300)) \(watcher.output.suffix(1_000))")
    #expect(!watcher.output.contains("diary:"), "\(watcher.output.suffix(1_000))")
  }

  private func watching(_ body: @escaping @Sendable (BackgroundProcess) async throws -> Void)
    async throws
  {
    try await home.withWatcher(mustEnd: false, body)
    let fsck = try await home.run("git", ["fsck", "--strict", "--no-dangling"], in: "j")
    #expect(fsck.status == 0 && fsck.errors == "", "\(fsck)")
  }
}

/// Listens to a folder like the watcher, but reads no event until asked.
private final class IdleListener {
  private let queue = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))

  init(_ folder: String) {
    let events = IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB
    inotify_add_watch(queue, folder, UInt32(events))
  }

  deinit { close(queue) }

  /// Whether the kernel has dropped events since the listener started.
  var hasOverflown: Bool {
    let header = MemoryLayout<inotify_event>.size
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { bytes.deallocate() }
    while true {
      let count = read(queue, bytes.baseAddress, bytes.count)
      guard count > 0 else { return false }
      var offset = 0
      while offset + header <= count {
        let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
        offset += header + Int(event.len)
      }
    }
  }
}
