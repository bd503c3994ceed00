import Foundation
import TestSupport
import Testing

/// The user's git commands while a watcher runs.
///
/// A copy of the journal without Diary is no reference: it soon differs, because the user's next
/// command finds Diary's commits. Instead, states are compared across each moment in which the user
/// does nothing (`expectPause`), and across each of their commands (`expectTurn`).
@Suite struct BesideGitTests {
  @Test func `the user's git and a watcher do not disturb each other`() async throws {
    let run = try await UserGitRun(SeededGenerator())
    try await BackgroundProcess.run(
      run.home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j"
    ) { (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"))
      try await run.performSteps(FaultJournal.rounds(60, exhaustive: 3_000))
      watcher.signal(SIGINT)
      let story = await run.summary
      #expect(await watcher.prints("ended"), "\(story): \(watcher.output)")
      await run.setWatcherOutput(watcher.output)
    }
    try await run.expectIntactAtEnd()
    print(await run.summary)
  }
}

/// Runs random steps of a user and checks the state between and after them.
actor UserGitRun {
  let home: Sandbox
  private var user: RandomUser
  private var state = GitState()
  private var lines: [String] = []
  /// The texts that have been found in a commit or a save.
  private var savedBlobs: Set<String> = []
  private var commands = 0
  private var refusals: [String] = []
  private var watcherOutput = ""

  init(_ dice: SeededGenerator) async throws {
    user = RandomUser(dice: dice)
    home = try Sandbox()
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "300ms")
    home.set("DIARY_STAMP", "new")
    try GitState.installScript(home)
    try await home.diary("init", "j")
    let lines = (1...12).map { "Line \($0).\n" }.joined()
    for name in ["a", "b", "c", "d"] {
      try home.write("---\ndate: 2026-11-01\n---\n" + lines, to: "j/2026/\(name).md")
    }
    try await home.diary("save", in: "j")
    // Conflicts as plain git makes them, and no automatic gc.
    try await home.git("config", "merge.diary.driver", "git merge-file %A %O %B", in: "j")
    try await home.git("config", "gc.auto", "0", in: "j")
    try await home.git("branch", "side", in: "j")
  }

  /// A summary for failure messages, with what repeats the run.
  var summary: String {
    "\(user.dice): \(commands) commands, \(refusals.count) refused for a lock, \(savedBlobs.count) texts"
      + " kept; the last ones: " + lines.suffix(6).joined(separator: " | ")
  }

  func setWatcherOutput(_ output: String) { self.watcherOutput = output }

  func performSteps(_ count: Int) async throws {
    state = try await GitState.read(home, in: "j")
    for _ in 1...count {
      let step = user.next(state)
      lines.append(step.command)
      let before = state
      let isDone = try await run(step)
      state = try await GitState.read(home, in: "j")
      try await expectTurn(step, isDone, before)
      let moments = user.dice.next()
      if moments % 5 == 0 {
        try await expectSaved()
      } else if moments % 5 > 2 {
        try await Task.sleep(for: .milliseconds(moments / 5 % 400))
      }
      let after = try await GitState.read(home, in: "j")
      try await expectPause(state, after)
      state = after
    }
  }

  /// Returns whether the step succeeded. A step that is refused because of a lock is retried.
  private func run(_ step: UserStep) async throws -> Bool {
    for _ in 1...40 {
      commands += 1
      let result = try await home.run("sh", ["-c", step.command], in: "j")
      let isRefused = ["index.lock", "cannot lock ref", "nable to create", ".lock'"].contains {
        result.errors.contains($0)
      }
      guard isRefused else { return result.status == 0 }
      refusals.append("\(step.command): \(result.errors)")
      try await Task.sleep(for: .milliseconds(50))
    }
    Issue.record("\(summary): refused again and again: \(refusals.suffix(1))")
    return false
  }

  /// Checks one command of the user: no other branch moved, none of the user's commits is missing,
  /// and the index and the commit contain what the user staged.
  private func expectTurn(_ step: UserStep, _ isDone: Bool, _ before: GitState) async throws {
    let mine = [before.branch, state.branch, "refs/heads/wt"]
    for (name, commit) in before.branches where !mine.contains(name) {
      // During a rebase no branch is checked out, so the rebased branch is not in `mine`.
      if before.operation?.hasPrefix("rebase") == true { continue }
      #expect(state.branches[name] == commit, "\(summary): \(name) moved")
    }
    if !step.isRewritingCommits {
      let gone = before.commits.filter { state.commits[$0.key] != $0.value }
      #expect(gone.isEmpty, "\(summary): gone \(gone)")
    }
    guard isDone else { return }
    if let (path, words) = step.stagedText {
      let blob = try await home.run(
        "git", ["hash-object", "--stdin"], in: "j", input: words + "\n")
      #expect(
        state.index[path]?.first?.contains(blob.output.dropLast()) == true,
        "\(summary): \(path) is not staged as it was: \(state.index[path] ?? [])")
    }
    if let subject = step.committedSubject, let commit = state.commits[subject] {
      let tree = try await home.git("ls-tree", "-r", commit, in: "j")
      for path in before.staged {
        let wanted = before.index[path]?.first.map { $0.split(separator: " ")[1] }
        let line = tree.split(separator: "\n").first { $0.hasSuffix("\t" + path) }
        let found = line.map { $0.split { $0 == " " || $0 == "\t" }[2] }
        #expect(found == wanted, "\(summary): \(subject) has not what was staged of \(path)")
      }
    }
  }

  /// Checks a pause of the user: no file changes, and what is staged stays. The remaining index
  /// follows the branch. The checked-out branch advances only by whole files from disk, not by
  /// staged ones. No other branch moves, and none moves during a git operation.
  private func expectPause(_ before: GitState, _ after: GitState) async throws {
    #expect(before.disk == after.disk, "\(summary): the disk changed")
    #expect(before.branch == after.branch, "\(summary): another branch")
    let staged = before.staged
    for path in Set(before.index.keys).union(after.index.keys) {
      let wanted = staged.contains(path) ? before.index[path] : after.tree[path]
      let index = after.index[path]
      #expect(index == wanted, "\(summary): \(path) was \(before.index[path] ?? []) in the index")
    }
    let moved = Set(before.branches.keys).union(after.branches.keys).filter {
      before.branches[$0] != after.branches[$0]
    }
    #expect(moved.isSubset(of: before.isBusy ? [] : [before.branch ?? ""]), "\(summary): \(moved)")
    guard let name = moved.first, let old = before.branches[name], let new = after.branches[name]
    else { return }
    try await home.git("merge-base", "--is-ancestor", old, new, in: "j")
    let names = try await home.git("diff", "--name-only", "--no-renames", old, new, in: "j")
    for path in names.split(separator: "\n").map(String.init) {
      let blob = after.tree[path]?.first.map { String($0.split(separator: " ")[1]) }
      if path.hasSuffix(".md") {
        #expect(blob == after.disk[path], "\(summary): \(path) was committed otherwise")
      }
      let isTheirs = staged.contains(path) && before.index[path] != after.tree[path]
      #expect(!isTheirs, "\(summary): \(path) was staged, and committed")
    }
  }

  /// Checks that every text on disk soon is reachable from a branch or from the saves.
  private func expectSaved() async throws {
    let end = ContinuousClock.now + .seconds(20)
    while true {
      let disk = try await GitState.read(home, in: "j").disk
      let missing = try await Set(disk.values).subtracting(reachableObjects())
      if missing.isEmpty { return savedBlobs.formUnion(disk.values) }
      if .now > end {
        Issue.record("\(summary): not kept: \(disk.filter { missing.contains($0.value) })")
        return
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  private func reachableObjects() async throws -> Set<String> {
    let text = try await home.git(
      "rev-list", "--objects", "--no-object-names", "--branches", "--glob=refs/diary/*", in: "j")
    return Set(text.split(separator: "\n").map(String.init))
  }

  /// Checks the end: every text that was saved is reachable, nothing is damaged or locked, and one
  /// `diary save` commits the remaining changes.
  func expectIntactAtEnd() async throws {
    for command in ["merge --abort", "rebase --abort", "cherry-pick --abort", "revert --abort"] {
      try await home.run("git", command.split(separator: " ").map(String.init), in: "j")
    }
    try await home.run("git", ["bisect", "reset"], in: "j")
    if try await home.run("git", ["symbolic-ref", "-q", "HEAD"], in: "j").status != 0 {
      try await home.run("git", ["switch", "-q", "-c", "last"], in: "j")
    }
    try await home.git("reset", "-q", in: "j")
    let save = try await home.diary("save", "--deletions", in: "j")
    #expect(save.status == 0, "\(summary): \(save)")
    let status = try await home.git("status", "--porcelain", in: "j")
    #expect(status == "", "\(summary)")
    let lost = try await savedBlobs.subtracting(reachableObjects())
    #expect(lost.isEmpty, "\(summary): lost \(lost)")
    let log = try await home.git("log", "-g", "--format=%gs", in: "j")
    #expect(log.contains("diary: "), "\(summary): no sitting ended")
    let fsck = try await home.run("git", ["fsck", "--strict", "--full", "--no-dangling"], in: "j")
    #expect(fsck.status == 0 && fsck.errors == "", "\(summary): \(fsck)")
    let locks = home.files(in: "j/.git").filter { $0.hasSuffix(".lock") && !$0.hasPrefix("diary/") }
    #expect(locks == [], "\(summary)")
    #expect(!watcherOutput.contains("diary:"), "\(summary): \(watcherOutput)")
    // git fails at once if a lock exists. Diary holds one for moments only, so few are refused.
    #expect(refusals.count * 20 < max(commands, 400), "\(summary): \(refusals)")
  }
}
