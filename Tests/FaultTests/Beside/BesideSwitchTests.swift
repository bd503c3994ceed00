import Foundation
import TestSupport
import Testing

/// Slow git operations of the user while a watcher runs: a switch that writes file after file, an
/// unresolved conflict, a second work tree.
@Suite(.serialized) struct BesideSwitchTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "300ms")
    home.set("DIARY_STAMP", "new")
    try await home.diary("init", "j")
    for name in ["a", "m", "z"] { try home.write("Begun.\n", to: "j/\(name).md") }
    for name in ["b", "n"] { try home.write("Begun.\n", to: "j/\(name).slow") }
    try await home.diary("save", in: "j")
    // Conflicts as plain git makes them.
    try await home.git("config", "merge.diary.driver", "git merge-file %A %O %B", in: "j")
  }

  /// git writes one file after the other and pauses at each that the filter matches. If the filter
  /// matches the entries, git alone writes them, and Diary must not consider one deleted.
  @Test(arguments: ["*.slow", "*.md"])
  func `a slow switch back and forth does not mix branches`(_ filtered: String) async throws {
    try await home.git("config", "filter.slow.smudge", "sleep 0.3; cat", in: "j")
    try await home.git("config", "filter.slow.clean", "cat", in: "j")
    try home.write("\(filtered) filter=slow\n", to: "j/.git/info/slow")
    try await shell("cat .git/info/slow >> .git/info/attributes")
    try await shell(
      """
      git switch -qc side; for file in a.md b.slow m.md n.slow z.md; do echo side > $file; done
      echo side > only.md; git add .; git commit -qm side; git switch -q main
      """)
    let before = try await branches()
    try await home.withWatcher { watcher in
      var random = SeededGenerator(part: filtered)
      for _ in 1...FaultJournal.rounds(3, exhaustive: 60) {
        for branch in ["side", "main"] {
          try await shell("git switch -q \(branch)")
          // Sometimes a sitting ends in between.
          try await Task.sleep(for: .milliseconds(Int.random(in: 0...600, using: &random)))
          #expect(try await branches() == before, "\(watcher.output)")
        }
      }
      let isDone = try await Sandbox.holds { try await isClean() }
      let status = try await home.diary("status", "--json", in: "j")
      #expect(isDone, "\(status.output) \(watcher.output)")
      // Proof that the watcher saved while git was switching.
      #expect(watcher.output.contains(filtered == "*.md" ? "saved b.slow" : "saved a.md"))
    }
    #expect(try await branches() == before)
    try await shell(
      "git switch -q side; test -z \"$(grep -L side a.md b.slow m.md n.slow z.md only.md)\"")
    try await shell("git switch -q main")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    try await expectIntact()
  }

  @Test func `a switch moves no text written meanwhile to another branch`() async throws {
    try await home.git("config", "filter.slow.smudge", "sleep 0.3; cat", in: "j")
    try await shell("echo '*.slow filter=slow' >> .git/info/attributes")
    try await shell(
      """
      git switch -qc side; for file in a.md b.slow n.slow; do echo side > $file; done
      git commit -qam side; git switch -q main
      """)
    try await home.withWatcher { watcher in
      for round in 1...FaultJournal.rounds(3, exhaustive: 60) {
        try home.write("Written on main \(round).\n", to: "j/z.md")
        #expect(
          try await hasText("main", "z.md", "Written on main \(round).\n"), "\(watcher.output)")
        try await shell("git switch -q side")
        #expect(try await home.git("show", "side:a.md", in: "j") == "side\n")
        try home.write("Written on side \(round).\n", to: "j/m.md")
        #expect(
          try await hasText("side", "m.md", "Written on side \(round).\n"), "\(watcher.output)")
        try await shell("git switch -q main")
        #expect(try home.read("j/z.md") == "Written on main \(round).\n")
      }
      #expect(try await Sandbox.holds { try await isClean() }, "\(watcher.output)")
    }
    #expect(try await home.git("show", "main:a.md", in: "j") == "Begun.\n")
    #expect(try await home.git("show", "main:m.md", in: "j") == "Begun.\n")
    #expect(try await home.git("show", "side:z.md", in: "j") == "Begun.\n")
    try await expectIntact()
  }

  /// Text that is saved but not committed when the branch changes goes to one of the two branches
  /// or stays pending.
  @Test func `a slow switch during a sitting does not mix branches`() async throws {
    try await home.git("config", "filter.slow.smudge", "sleep 0.3; cat", in: "j")
    try await shell("echo '*.slow filter=slow' >> .git/info/attributes")
    try await shell(
      """
      git switch -qc side; for file in a.md b.slow n.slow z.md; do echo side > $file; done
      git commit -qam side; git switch -q main
      """)
    let rounds = FaultJournal.rounds(4, exhaustive: 80)
    try await home.withWatcher { watcher in
      var random = SeededGenerator()
      for round in 1...rounds {
        for branch in ["side", "main"] {
          try home.write("Before \(branch) \(round).\n", to: "j/new-\(round)-\(branch).md")
          // The text has settled by now; whether it is committed is random.
          try await Task.sleep(for: .milliseconds(Int.random(in: 150...600, using: &random)))
          try await shell("git switch -q \(branch)")
          for (name, text) in [("main", "Begun.\n"), ("side", "side\n")] {
            for path in ["a.md", "b.slow", "z.md"] {
              let kept = try await home.git("show", "\(name):\(path)", in: "j")
              #expect(kept == text, "\(name) \(path): \(watcher.output)")
            }
          }
        }
      }
      let isDone = try await Sandbox.holds { try await isClean() }
      let status = try await home.diary("status", "--json", in: "j")
      #expect(isDone, "\(status.output) \(watcher.output)")
    }
    let log = try await home.git("log", "-p", "-m", "--all", "--format=", in: "j")
    for round in 1...rounds {
      #expect(log.contains("+Before side \(round).") && log.contains("+Before main \(round)."))
    }
    try await expectIntact()
  }

  /// git switch releases the index lock before it moves HEAD. A hook that runs in between prolongs
  /// that moment.
  @Test func `a sitting that ends before a switch moves HEAD is deferred`() async throws {
    try await shell(
      "git switch -qc side; echo side > a.md; git commit -qam side; git switch -q main")
    let hook = "printf '#!/bin/sh\\nsleep 2\\n' > .git/hooks/post-index-change"
    try await shell(hook + "; chmod +x .git/hooks/post-index-change")
    try await home.withWatcher { watcher in
      try home.write("Before.\n", to: "j/new.md")
      #expect(await watcher.prints("saved new.md"), "\(watcher.output)")
      try await shell("git switch -q side")
      // Time for a sitting to be committed to the wrong branch.
      try await Task.sleep(for: .seconds(1))
      #expect(try await home.git("show", "main:a.md", in: "j") == "Begun.\n", "\(watcher.output)")
      #expect(try await home.git("show", "side:a.md", in: "j") == "side\n", "\(watcher.output)")
    }
  }

  @Test func `a stash pop conflict stays untouched until the user resolves it`() async throws {
    // A sitting so long that nothing is committed before it is stashed.
    home.set("DIARY_AUTOSAVE__SITTING", "1s")
    try await home.withWatcher { watcher in
      for round in 1...FaultJournal.rounds(2, exhaustive: 40) {
        // If it was committed before it could be stashed, write it again.
        try await shell(
          """
          for t in $(seq 40); do
            echo "Stashed \(round), $t." > a.md; git stash push -q
            command git rev-parse -q --verify refs/stash > ../stash && break
          done
          """)
        try home.write("Written here \(round).\n", to: "j/a.md")
        #expect(try await hasText("main", "a.md", "Written here \(round).\n"), "\(watcher.output)")
        // If Diary holds the lock, `git stash pop` fails without a message.
        try await shell(
          """
          for t in $(seq 40); do
            git stash pop -q || git diff --name-only --diff-filter=U | grep -qx a.md && exit; sleep 0.1
          done; exit 1
          """)
        // The other files continue to be saved, or stay pending, for many settle periods.
        for turn in 1...3 {
          try home.write("Round \(round), \(turn).\n", to: "j/m.md")
          try await Task.sleep(for: .milliseconds(1_300))
          let status = try await home.git(
            "--no-optional-locks", "status", "--porcelain", "a.md", in: "j")
          #expect(status == "UU a.md\n", "\(watcher.output)")
          let kept = try await home.git("show", "HEAD:a.md", in: "j")
          #expect(kept == "Written here \(round).\n", "\(watcher.output)")
          #expect(try home.read("j/a.md").contains("<<<<<<<"))
        }
        try await shell("echo 'Both \(round).' > a.md; git add a.md; git stash drop -q")
        #expect(try await hasText("main", "a.md", "Both \(round).\n"), "\(watcher.output)")
        #expect(try await hasText("main", "m.md", "Round \(round), 3.\n"), "\(watcher.output)")
        #expect(try await Sandbox.holds { try await isClean() }, "\(watcher.output)")
      }
    }
    let log = try await home.git("log", "-p", "--branches", "--format=", in: "j")
    #expect(!log.contains("<<<<<<<") && !log.contains(">>>>>>>"), "\(log)")
    try await expectIntact()
  }

  @Test func `watchers of two work trees do not interfere`() async throws {
    try await home.git("worktree", "add", "-q", "-b", "side", "../wt", in: "j")
    let main = try await home.git("rev-parse", "main", in: "j")
    try await home.withWatcher(in: "wt") { watcher in
      try home.write("In the linked tree.\n", to: "wt/a.md")
      #expect(try await hasText("side", "a.md", "In the linked tree.\n"), "\(watcher.output)")
      #expect(try await home.git("rev-parse", "main", in: "j") == main)
      try await home.withWatcher { other in
        for round in 1...FaultJournal.rounds(3, exhaustive: 60) {
          try home.write("There \(round).\n", to: "wt/a.md")
          try home.write("Here \(round).\n", to: "j/a.md")
          #expect(try await hasText("side", "a.md", "There \(round).\n"), "\(watcher.output)")
          #expect(try await hasText("main", "a.md", "Here \(round).\n"), "\(other.output)")
          #expect(try home.read("wt/a.md") == "There \(round).\n")
          #expect(try home.read("j/a.md") == "Here \(round).\n")
        }
        #expect(try await Sandbox.holds { try await isClean() }, "\(other.output)")
      }
      #expect(try await Sandbox.holds { try await isClean(in: "wt") })
    }
    // Each branch contains its own text and none of the other's.
    let log = try await home.git("log", "-p", "--format=", "main", in: "j")
    #expect(!log.contains("There") && !log.contains("linked"))
    #expect(try await !home.git("log", "-p", "--format=", "side", in: "j").contains("Here"))
    let saves = try await home.git("for-each-ref", "--format=%(refname)", "refs/diary", in: "j")
    #expect(saves.contains("/main\n") && saves.contains("/side\n"), "\(saves)")
    try await expectIntact()
  }

  private func shell(_ text: String) async throws {
    // git fails at once while Diary holds the lock, and users retry.
    let made = try await home.run(
      "sh",
      [
        "-c",
        "git() { for t in $(seq 40); do command git \"$@\" 2> ../git-said && return"
          + "; grep -q '\\.lock\\|could not write index' ../git-said || break; sleep 0.1; done"
          + "; cat ../git-said >&2; return 1; }"
          + "\nset -e\n" + text,
      ], in: "j")
    #expect(made.status == 0, "\(text): \(made)")
  }

  private func branches() async throws -> String {
    try await home.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", in: "j")
  }

  /// Waits until the branch contains the text and returns whether it does.
  private func hasText(_ branch: String, _ path: String, _ text: String) async throws -> Bool {
    try await Sandbox.holds {
      try await home.run("git", ["show", "\(branch):\(path)"], in: "j").output == text
    }
  }

  /// Whether no change is unsaved and none is pending.
  private func isClean(in folder: String = "j") async throws -> Bool {
    let status = try await home.diary("status", "--json", in: folder).output
    let git = try await home.git("--no-optional-locks", "status", "--porcelain", in: folder)
    return status.contains("\"pending\":[]") && status.contains("\"unsaved\":[]") && git.isEmpty
  }

  private func expectIntact() async throws {
    let fsck = try await home.run("git", ["fsck", "--strict", "--full", "--no-dangling"], in: "j")
    #expect(fsck.status == 0 && fsck.errors == "", "\(fsck)")
    let verified = try await home.diary("index", "--verify", in: "j")
    #expect(verified.status == 0, "\(verified)")
  }
}
