import Foundation
import Synchronization
import TestSupport
import Testing

/// Several Diary processes in one journal at the same time: they take turns, and no text is lost.
@Suite struct TogetherTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "300ms")
    home.set("DIARY_STAMP", "new")
  }

  @Test(arguments: [false, true])
  func `commands that run at the same time all succeed`(_ isWatched: Bool) async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "The river", "-m", "Begun.", in: "j")
    var said: [String] = ["Begun."]
    let rounds = FaultJournal.rounds(2, exhaustive: 60)
    try await maybeWatching(isWatched) {
      for round in 1...rounds {
        let commands = [
          ["new", "Round \(round)", "-m", "Said by new \(round)."],
          ["new", "Round \(round)", "-m", "Said by another \(round)."],
          ["add", "--to", "The river", "Said by add \(round)."],
          ["add", "--to", "The river", "Said by the other add \(round)."],
          ["import", "../phone-\(round).json"], ["save"], ["list"], ["status"],
          ["search", "Begun"], ["history", "The river"],
        ]
        try home.write(
          "[{\"title\": \"Phone \(round)\", \"body\": \"Said by phone \(round).\","
            + " \"created_at\": \(1_700_000_000 + round)}]", to: "phone-\(round).json")
        try await withThrowingTaskGroup { group in
          for command in commands {
            group.addTask {
              let result = try await home.run(Sandbox.programs + "/diary", command, in: "j")
              #expect(result.status == 0, "\(command): \(result)")
            }
          }
          try await group.waitForAll()
        }
      }
    }
    for round in 1...rounds {
      said += ["new", "another", "add", "the other add", "phone"].map { "Said by \($0) \(round)." }
    }
    try await expectIntact("j", said)
  }

  @Test func `only one of many watchers runs, and after a kill the next may`() async throws {
    try await home.diary("init", "j")
    for round in 1...FaultJournal.rounds(2, exhaustive: 30) {
      let (home, refused) = (home, RefusalCount())
      let count = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 1...4 {
          group.addTask {
            try await BackgroundProcess.run(
              home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j"
            ) { (watcher: BackgroundProcess) async throws -> Int in
              let isSettled = await Sandbox.holds {
                watcher.output.contains("watching") || watcher.output.contains("already watched")
              }
              #expect(isSettled, "\(watcher.output)")
              if watcher.output.contains("already watched") {
                refused.increment()
                return 0
              }
              #expect(await Sandbox.holds { refused.value == 3 })
              watcher.signal(SIGKILL)
              return 1
            }
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(count == 1, "round \(round)")
    }
    try home.write("After them all.\n", to: "j/a.md")
    try await expectIntact("j", ["After them all."])
  }

  @Test func `two watched devices with manual sync end with the same text`() async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    try await home.diary("init", "a", "--remote", "remote.git")
    try home.write("Begun.\n", to: "a/river.md")
    try await home.diary("sync", in: "a")
    try await home.diary("clone", "remote.git", "b")
    let rounds = FaultJournal.rounds(3, exhaustive: 60)
    try await watching("a") {
      try await watching("b") {
        for round in 1...rounds {
          for device in ["a", "b"] {
            let river = try home.read(device + "/river.md")
            try home.write(river + "Said by \(device), \(round).\n", to: device + "/river.md")
            try home.write(
              "Only \(device), \(round).\n", to: device + "/\(device)-\(round).md")
          }
          try await withThrowingTaskGroup { group in
            for device in ["a", "b", "a"] {
              group.addTask {
                let sync = try await syncWithRetry(device)
                #expect(sync.status == 0, "round \(round), \(device): \(sync)")
              }
            }
            try await group.waitForAll()
          }
        }
      }
    }
    for device in ["a", "b", "a"] {
      let sync = try await home.diary("sync", in: device)
      #expect(sync.status == 0, "\(device): \(sync)")
    }
    let said = (1...rounds).flatMap { round in
      ["a", "b"].flatMap { ["Said by \($0), \(round).", "Only \($0), \(round)."] }
    }
    for device in ["a", "b"] { try await expectIntact(device, said + ["Begun."]) }
    let trees = try await [
      home.git("rev-parse", "HEAD^{tree}", in: "a"), home.git("rev-parse", "HEAD^{tree}", in: "b"),
    ]
    #expect(trees[0] == trees[1])
  }

  /// Syncs. A sync that has waited too long for another one fails with a message and is retried.
  private func syncWithRetry(_ device: String) async throws -> Sandbox.ProgramResult {
    while true {
      let sync = try await home.diary("sync", in: device)
      if !sync.errors.contains("another diary process is syncing") { return sync }
    }
  }

  private func maybeWatching(
    _ isWatched: Bool, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    if isWatched { try await watching("j", body) } else { try await body() }
  }

  private func watching(
    _ journal: String, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let output = try await home.withWatcher(in: journal) { _ in try await body() }
    #expect(!output.contains("diary:"), "\(output)")
  }

  /// Checks after one more save: the files contain each text once; nothing is pending or damaged.
  private func expectIntact(_ journal: String, _ texts: [String]) async throws {
    let save = try await home.diary("save", in: journal)
    #expect(save.status == 0, "\(save)")
    let files = home.files(in: journal).filter { $0 != "INDEX.md" }
    let text = try files.map { try home.read(journal + "/" + $0) }.joined(separator: "\n")
    for words in texts {
      #expect(text.split(separator: words, omittingEmptySubsequences: false).count == 2, "\(words)")
    }
    #expect(try await home.git("status", "--porcelain", in: journal) == "")
    let fsck = try await home.run("git", ["fsck", "--strict", "--no-dangling"], in: journal)
    #expect(fsck.status == 0 && fsck.errors == "", "\(fsck)")
    #expect(try await home.diary("index", "--verify", in: journal).status == 0)
  }
}

/// The number of watchers that found the journal watched.
private final class RefusalCount: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  func increment() { count.withLock { $0 += 1 } }
}
