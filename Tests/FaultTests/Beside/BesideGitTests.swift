import Foundation
import TestSupport
import Testing

/// The writer's own git beside a watcher.
///
/// A twin without Diary would soon stand elsewhere: what Diary has committed, the writer's next
/// command finds committed. So the two are compared over each moment in which the writer does nothing
/// (`Pause`), where a twin would not change at all, and over each of their commands (`Turn`).
@Suite struct BesideGitTests {
  @Test func `the writer's git and a watcher do not get into each other's way`() async throws {
    let seed = ProcessInfo.processInfo.environment["DIARY_SEED"].flatMap { UInt64($0) }
    let run = try await BesideRun(seed: seed ?? UInt64.random(in: 0 ... .max))
    try await Background.running(
      run.home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j"
    ) { (watcher: Background) async throws -> Void in
      #expect(await watcher.prints("watching"))
      try await run.play(FaultWorld.rounds(60, whole: 3_000))
      watcher.signal(SIGINT)
      let story = await run.story
      #expect(await watcher.prints("ended"), "\(story): \(watcher.output)")
      await run.note(watcher.output)
    }
    try await run.expectWholeAtEnd()
    print(await run.story)
  }
}

/// Steps of a writer, and what was found amiss between and after them.
actor BesideRun {
  let home: Sandbox
  private let seed: UInt64
  private var writer: Writer
  private var state = GitState()
  private var lines: [String] = []
  /// Texts that were seen to be kept.
  private var kept: Set<String> = []
  private var commands = 0
  private var refusals: [String] = []
  private var output = ""

  init(seed: UInt64) async throws {
    self.seed = seed
    writer = Writer(seed: seed)
    home = try Sandbox()
    for (name, value) in [("SETTLE", "50ms"), ("LONGEST", "500ms"), ("SITTING", "300ms")] {
      home.set("DIARY_AUTOSAVE__" + name, value)
    }
    home.set("DIARY_STAMP", "new")
    try GitState.prepare(home)
    try await home.diary("init", "j")
    let lines = (1...12).map { "Line \($0).\n" }.joined()
    for name in ["a", "b", "c", "d"] {
      try home.write("---\ndate: 2026-11-01\n---\n" + lines, to: "j/2026/\(name).md")
    }
    try await home.diary("save", in: "j")
    // Conflicts as git knows them, and nothing of git's own at moments of its choice.
    try await home.git("config", "merge.diary.driver", "git merge-file %A %O %B", in: "j")
    try await home.git("config", "gc.auto", "0", in: "j")
    try await home.git("branch", "side", in: "j")
  }

  /// What a failure must tell to be tried again.
  var story: String {
    "seed \(seed): \(commands) commands, \(refusals.count) refused for a lock, \(kept.count) texts"
      + " kept; the last ones: " + lines.suffix(6).joined(separator: " | ")
  }

  func note(_ output: String) { self.output = output }

  func play(_ count: Int) async throws {
    state = try await GitState.now(home, in: "j")
    for _ in 1...count {
      let step = writer.next(state)
      lines.append(step.line)
      let before = state
      let isDone = try await run(step)
      state = try await GitState.now(home, in: "j")
      try await expectTurn(step, isDone, before)
      let moments = writer.dice.next()
      if moments % 5 == 0 {
        try await expectKept()
      } else if moments % 5 > 2 {
        try await Task.sleep(for: .milliseconds(moments / 5 % 400))
      }
      let after = try await GitState.now(home, in: "j")
      try await expectPause(state, after)
      state = after
    }
  }

  /// Answers whether it was done; one that was refused for a lock is tried again, as writers do.
  private func run(_ step: WriterStep) async throws -> Bool {
    for _ in 1...40 {
      commands += 1
      let result = try await home.run("sh", ["-c", step.line], in: "j")
      let isRefused = ["index.lock", "cannot lock ref", "nable to create", ".lock'"].contains {
        result.errors.contains($0)
      }
      guard isRefused else { return result.status == 0 }
      refusals.append("\(step.line): \(result.errors)")
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(story): refused again and again: \(refusals.suffix(1))")
    return false
  }

  /// Over one of the writer's commands: no other branch moved than theirs, no commit of theirs went,
  /// and what they staged or committed is what they meant.
  private func expectTurn(_ step: WriterStep, _ isDone: Bool, _ before: GitState) async throws {
    let mine = [before.branch, state.branch, "refs/heads/wt"]
    for (name, commit) in before.branches where !mine.contains(name) {
      // The branch that is rebased is none while it is.
      if before.operation?.hasPrefix("rebase") == true { continue }
      #expect(state.branches[name] == commit, "\(story): \(name) moved")
    }
    if !step.rewrites {
      let gone = before.commits.filter { state.commits[$0.key] != $0.value }
      #expect(gone.isEmpty, "\(story): gone \(gone)")
    }
    guard isDone else { return }
    if let (path, words) = step.stages {
      let blob = try await home.run(
        "git", ["hash-object", "--stdin"], in: "j", input: words + "\n")
      #expect(
        state.index[path]?.first?.contains(blob.output.dropLast()) == true,
        "\(story): \(path) is not staged as it was: \(state.index[path] ?? [])")
    }
    if let subject = step.commits, let commit = state.commits[subject] {
      let tree = try await home.git("ls-tree", "-r", commit, in: "j")
      for path in before.staged {
        let wanted = before.index[path]?.first.map { $0.split(separator: " ")[1] }
        let line = tree.split(separator: "\n").first { $0.hasSuffix("\t" + path) }
        let found = line.map { $0.split { $0 == " " || $0 == "\t" }[2] }
        #expect(found == wanted, "\(story): \(subject) has not what was staged of \(path)")
      }
    }
  }

  /// While the writer does nothing: no file changes; what they staged stays as it is; the rest of the
  /// index follows the branch; the branch that is checked out moves on by whole texts of the disk and
  /// past what is staged; no other moves, and none at all in the middle of something of git's.
  private func expectPause(_ before: GitState, _ after: GitState) async throws {
    #expect(before.disk == after.disk, "\(story): the disk changed")
    #expect(before.branch == after.branch, "\(story): another branch")
    let staged = before.staged
    for path in Set(before.index.keys).union(after.index.keys) {
      let wanted = staged.contains(path) ? before.index[path] : after.tree[path]
      let index = after.index[path]
      #expect(index == wanted, "\(story): \(path) was \(before.index[path] ?? []) in the index")
    }
    let moved = Set(before.branches.keys).union(after.branches.keys).filter {
      before.branches[$0] != after.branches[$0]
    }
    #expect(moved.isSubset(of: before.isBusy ? [] : [before.branch ?? ""]), "\(story): \(moved)")
    guard let name = moved.first, let old = before.branches[name], let new = after.branches[name]
    else { return }
    try await home.git("merge-base", "--is-ancestor", old, new, in: "j")
    let names = try await home.git("diff", "--name-only", "--no-renames", old, new, in: "j")
    for path in names.split(separator: "\n").map(String.init) {
      let blob = after.tree[path]?.first.map { String($0.split(separator: " ")[1]) }
      if path.hasSuffix(".md") {
        #expect(blob == after.disk[path], "\(story): \(path) was committed otherwise")
      }
      let isTheirs = staged.contains(path) && before.index[path] != after.tree[path]
      #expect(!isTheirs, "\(story): \(path) was staged, and committed")
    }
  }

  /// Every text on the disk is soon within reach of a branch or of the saves.
  private func expectKept() async throws {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      let disk = try await GitState.now(home, in: "j").disk
      let missing = try await Set(disk.values).subtracting(reached())
      if missing.isEmpty { return kept.formUnion(disk.values) }
      if .now > end {
        Issue.record("\(story): not kept: \(disk.filter { missing.contains($0.value) })")
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func reached() async throws -> Set<String> {
    let text = try await home.git(
      "rev-list", "--objects", "--no-object-names", "--branches", "--glob=refs/diary/*", in: "j")
    return Set(text.split(separator: "\n").map(String.init))
  }

  /// When all is over: nothing that was kept is out of reach, nothing is damaged or locked, and one
  /// `diary save` puts the rest on the branch.
  func expectWholeAtEnd() async throws {
    for command in ["merge --abort", "rebase --abort", "cherry-pick --abort", "revert --abort"] {
      try await home.run("git", command.split(separator: " ").map(String.init), in: "j")
    }
    try await home.run("git", ["bisect", "reset"], in: "j")
    if try await home.run("git", ["symbolic-ref", "-q", "HEAD"], in: "j").status != 0 {
      try await home.run("git", ["switch", "-q", "-c", "last"], in: "j")
    }
    try await home.git("reset", "-q", in: "j")
    let save = try await home.diary("save", "--deletions", in: "j")
    #expect(save.status == 0, "\(story): \(save)")
    let status = try await home.git("status", "--porcelain", in: "j")
    #expect(status == "", "\(story)")
    let lost = try await kept.subtracting(reached())
    #expect(lost.isEmpty, "\(story): lost \(lost)")
    let log = try await home.git("log", "-g", "--format=%gs", in: "j")
    #expect(log.contains("diary: "), "\(story): no sitting ended")
    let fsck = try await home.run("git", ["fsck", "--strict", "--full", "--no-dangling"], in: "j")
    #expect(fsck.status == 0 && fsck.errors == "", "\(story): \(fsck)")
    let locks = home.files(in: "j/.git").filter { $0.hasSuffix(".lock") && !$0.hasPrefix("diary/") }
    #expect(locks == [], "\(story)")
    #expect(!output.contains("diary:"), "\(story): \(output)")
    // git gives up at once where a lock is taken; Diary holds one for moments only.
    #expect(refusals.count * 20 < max(commands, 400), "\(story): \(refusals)")
  }
}
