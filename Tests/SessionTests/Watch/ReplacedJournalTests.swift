import Foundation
import TestSupport
import Testing

/// The journal's folder or repository disappears while the watcher runs, and returns or is replaced
/// by another one.
@Suite(.serialized) struct ReplacedJournalTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "1s")
    try await home.diary("init", "j")
    for number in 1...5 { try home.write("one\n", to: "j/a\(number).md") }
    try await home.diary("save", in: "j")
  }

  private func shell(_ line: String) async throws {
    // Retry, because the watcher may write into a folder that is being emptied or filled.
    let again = "again() { for n in 1 2 3 4 5 6 7 8; do \"$@\" && return; sleep 1; done; false; }; "
    let result = try await home.run("sh", ["-ec", again + line])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(arguments: [
    "again rm -rf j; mv copy j", "again rm -rf j; WAIT; mv copy j", "mv j old; mv copy j",
    "again rm -rf j; git clone -q copy j", "again rm -rf j/.git; WAIT; again cp -af copy/.git j",
    "again rm -rf j/.git; mv copy/.git j",
    "again rm -rf j/* j/.[a-z]*; WAIT; again cp -af copy/. j",
  ])
  func `the watcher continues with the replacement`(_ line: String) async throws {
    try await withWatcher { (watcher: BackgroundProcess) async throws -> Void in
      // A file that is being written could not be copied.
      #expect(await watcher.becomesIdle())
      let lines = line.components(separatedBy: "WAIT; ")
      try await shell("cp -a j copy; " + lines[0])
      if lines.count > 1 {
        #expect(
          await Sandbox.holds {
            watcher.output.contains("no longer exists")
              || watcher.output.contains("is missing, so nothing can be saved")
          }, "\(watcher.output)")
        try await shell(lines[1])
      }
      #expect(await watcher.prints("is back; the watcher continues"), "\(watcher.output)")
      try home.write("Written after the return.\n", to: "j/b.md")
      let isCommitted = try await Sandbox.holds {
        try await home.run("git", ["cat-file", "-e", "HEAD:b.md"], in: "j").status == 0
      }
      #expect(isCommitted, "\(watcher.output)")
      #expect(!watcher.output.contains("diary init"), "\(watcher.output)")
      let second = try await home.diary("watch", in: "j")
      #expect(second.status == 1)
      #expect(second.errors.contains("already watched"), "\(second.errors)")
      #expect(try await home.diary("status", in: "j").output.contains("process"))
    }
    #expect(try await home.git("show", "HEAD:b.md", in: "j").contains("after the return."))
    #expect(try await home.git("show", "HEAD:a1.md", in: "j") == "one\n")
  }

  /// A slow copy, in which the ref of the branch is copied last.
  @Test func `the watcher waits until a repository is copied completely`() async throws {
    let tip = try await home.git("rev-parse", "HEAD", in: "j")
    try await withWatcher { (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.becomesIdle())
      try await shell("cp -a j copy; again rm -rf j/.git")
      #expect(await watcher.prints("is missing, so nothing can be saved"), "\(watcher.output)")
      try await shell(
        "mkdir -p j/.git/refs; cp -a copy/.git/HEAD copy/.git/config copy/.git/objects j/.git; "
          + "for n in 1 2 3 4 5 6; do sleep 0.5; echo $n > j/.git/description; done; "
          + "cp -a copy/.git/. j/.git")
      #expect(await watcher.prints("is back; the watcher continues"), "\(watcher.output)")
      try home.write("Written after the return.\n", to: "j/b.md")
      #expect(await watcher.prints("saved b.md"), "\(watcher.output)")
      #expect(!watcher.output.contains("saved a1.md"), "\(watcher.output)")
    }
    #expect(try await home.git("rev-parse", "HEAD~1", in: "j") == tip)
    #expect(try await home.git("fsck", "--no-dangling", in: "j") == "")
  }

  @Test func `the watcher ends when another one has started on the new folder`() async throws {
    try await shell("cp -a j copy; touch copy/.git/diary/watch.lock")
    let lock = home.homePath + "/copy/.git/diary/watch.lock"
    let home = home
    // The lock that another watcher holds.
    try await BackgroundProcess.run(home, "flock", [lock, "sh", "-c", "echo held; sleep 60"]) {
      (other: BackgroundProcess) async throws -> Void in
      #expect(await other.prints("held"))
      try await withWatcher { (watcher: BackgroundProcess) async throws -> Void in
        try await shell("mv j old; mv copy j")
        #expect(await watcher.prints("another watcher has started on"), "\(watcher.output)")
        #expect(await Sandbox.holds { watcher.hasExited }, "\(watcher.output)")
      }
    }
  }

  @Test func `no journal is created on a mount point without its disk`() async throws {
    let home = home
    try await withWatcher { (watcher: BackgroundProcess) async throws -> Void in
      let allowed = try await home.withMount(
        "mount", ["-t", "tmpfs", "none"], at: "j",
        { () async throws -> Void in
          #expect(
            await watcher.prints("is missing, so nothing can be saved"), "\(watcher.output)")
          try home.write("on the mount point\n", to: "j/stray.md")
          _ = await Sandbox.holds(within: 1.5) { false }
          #expect(home.files(in: "j") == ["stray.md"])
        })
      guard allowed else { try Test.cancel("no disk may be mounted here") }
      #expect(await watcher.prints("is back"), "\(watcher.output)")
      try home.write("below\n", to: "j/below.md")
      #expect(await watcher.prints("saved below.md"), "\(watcher.output)")
      #expect(!watcher.output.contains("diary init"), "\(watcher.output)")
    }
    #expect(home.files(in: "j").contains("a1.md"))
  }

  @Test func `a watcher that ends does not recreate a missing folder`() async throws {
    try await withWatcher { (watcher: BackgroundProcess) async throws -> Void in
      try await shell("mv j old")
      #expect(await watcher.prints("no longer exists"), "\(watcher.output)")
      watcher.signal(SIGTERM)
      #expect(await Sandbox.holds { watcher.hasExited }, "\(watcher.output)")
    }
    // The path is free for the folder to return.
    #expect(!home.exists("j"))
  }

  @Test func `no command suggests a new journal if only the repository is missing`() async throws {
    try await shell("mv j/.git git")
    for words in [["list"], ["status"], ["add", "Precious."], ["watch"]] {
      let refused = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(refused.status == 1)
      #expect(refused.errors.contains("the git repository of "), "\(refused.errors)")
      #expect(!refused.errors.contains("to make it a journal"), "\(refused.errors)")
    }
    try await shell("mv git j/.git")
    #expect(try await home.diary("list", in: "j").status == 0)
  }

  /// A repository in the folder above, for example for the settings of a whole home.
  @Test func `a surrounding repository is never used as the journal's own`() async throws {
    try await shell("git init -q .; echo j > .gitignore; git add .gitignore; git commit -qm Mine")
    let before = try await home.git("for-each-ref", in: "")
    try await withWatcher { (watcher: BackgroundProcess) async throws -> Void in
      try await shell("mv j/.git kept")
      #expect(
        await watcher.prints("is missing, so nothing can be saved"), "\(watcher.output)")
      try home.write("Written meanwhile.\n", to: "j/b.md")
      for words in [["list"], ["status"], ["save"], ["sync"], ["add", "Precious."], ["watch"]] {
        let refused = try await home.run(Sandbox.programs + "/diary", words, in: "j")
        #expect(refused.status == 1, "\(refused)")
        #expect(refused.errors.contains("the git repository of "), "\(refused.errors)")
        #expect(refused.errors.contains("does not contain this journal"), "\(refused.errors)")
        #expect(refused.errors.contains("hint: "), "\(refused.errors)")
      }
      let asked = try await home.diary("init", in: "j")
      #expect(asked.status == 1 && asked.errors.contains("--separate"), "\(asked)")
      #expect(!home.exists(".git/diary"))
      #expect(try await home.git("for-each-ref", in: "") == before)
      try await shell("mv kept j/.git")
      #expect(await watcher.prints("is back; the watcher continues"), "\(watcher.output)")
      #expect(await watcher.prints("saved b.md"), "\(watcher.output)")
    }
    #expect(try await home.diary("list", in: "j").status == 0)
  }

  @Test func `a journal inside another repository is recognized in a clone`() async throws {
    try await shell("git init -q project")
    let joined = try await home.diary("init", "project/notes", "--join")
    #expect(joined.status == 0, "\(joined)")
    try await home.diary("new", "Walk", "-m", "Words.", in: "project/notes")
    try await shell("git clone -q project other")
    for folder in ["project/notes", "other/notes"] {
      let list = try await home.diary("list", in: folder)
      #expect(list.status == 0 && list.output.contains("Walk"), "\(list)")
    }
    let added = try await home.diary("new", "Lake", "-m", "Words.", in: "other/notes")
    #expect(added.status == 0, "\(added)")
  }

  private func withWatcher(_ body: @escaping @Sendable (BackgroundProcess) async throws -> Void)
    async throws
  {
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      try await body(watcher)
    }
  }
}
