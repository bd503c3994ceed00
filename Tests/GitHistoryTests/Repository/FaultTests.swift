import DiaryCore
import Foundation
import GitHistory
import Glibc
import Testing

/// What a killed Diary leaves behind, and what the writer's own git does at the same moment.
@Suite struct FaultTests {
  /// The files of a lock that was held when its owner died.
  private func leave(
    lock path: String, holding bytes: Data, promise: String? = nil, in box: Sandbox
  ) throws {
    let record = box.root + "/.git/diary/locks/4242-1"
    try bytes.write(to: URL(filePath: record))
    try Data(path.utf8).write(to: URL(filePath: record + ".for"))
    if let promise { try Data(promise.utf8).write(to: URL(filePath: record + ".then")) }
    #expect(link(record, path) == 0)
  }

  private func locks(_ box: Sandbox) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: box.root + "/.git/diary/locks")
  }

  @Test func `an index lock of a killed Diary is cleared`() async throws {
    let (box, _) = try await Sandbox.begun()
    let lock = box.root + "/.git/index.lock"
    try leave(lock: lock, holding: Data("half".utf8), in: box)
    try box.write("a.md", "12\n")
    let repository = try box.open()
    try await repository.save(box, ["a.md"])
    #expect(access(lock, F_OK) != 0)
    #expect(try await repository.sitting(box).paths == ["a.md"])
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try locks(box).isEmpty)
  }

  @Test(arguments: [true, false])
  func `an index is finished only if its branch had moved`(_ moved: Bool) async throws {
    let (box, repository) = try await Sandbox.begun()
    let index = URL(filePath: box.root + "/.git/index")
    let old = try Data(contentsOf: index)
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"])
    guard case .committed(let commit, _, _) = try await repository.sitting(box) else { return }
    let new = try Data(contentsOf: index)
    try old.write(to: index)
    if !moved { try await box.git("update-ref", "refs/heads/main", "main~1") }
    try leave(
      lock: box.root + "/.git/index.lock", holding: new,
      promise: "\(commit) refs/heads/main\n\(index.path)\n", in: box)
    #expect(try await repository.clearStaleLocks() == [box.root + "/.git/index.lock"])
    #expect(try await box.git("status", "--porcelain") == (moved ? "" : " M a.md\n"))
    #expect(try locks(box).isEmpty)
  }

  /// As some disks keep a rename that a cut of the power came upon.
  @Test func `a lock that already stands at its location as well is cleared`() async throws {
    let (box, repository) = try await Sandbox.begun()
    let index = box.root + "/.git/index"
    let commit = try await box.git("rev-parse", "HEAD").trimmingCharacters(in: .newlines)
    let lock = index + ".lock"
    try leave(
      lock: lock, holding: Data(contentsOf: URL(filePath: index)),
      promise: "\(commit) refs/heads/main\n\(index)\n", in: box)
    unlink(index)
    #expect(link(lock, index) == 0)
    #expect(try await repository.clearStaleLocks() == [lock])
    #expect(access(lock, F_OK) != 0)
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try locks(box).isEmpty)
  }

  @Test func `a branch lock of a killed Diary is cleared`() async throws {
    let (box, repository) = try await Sandbox.begun()
    let lock = box.root + "/.git/refs/heads/main.lock"
    try leave(lock: lock, holding: Data(), in: box)
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"])
    #expect(try await repository.sitting(box).paths == ["a.md"])
    #expect(access(lock, F_OK) != 0)
  }

  @Test func `a saves lock left while another Diary runs stops nothing`() async throws {
    let (box, repository) = try await Sandbox.begun()
    try leave(
      lock: box.root + "/.git/refs/diary/saves/main/main.lock", holding: Data(), in: box)
    try box.write("a.md", "12\n")
    #expect(try await repository.save(box, ["a.md"]) != nil)
    #expect(try locks(box).isEmpty)
  }

  @Test func `a lock that only looks like Diary's is left`() async throws {
    let (box, repository) = try await Sandbox.begun()
    let lock = box.root + "/.git/index.lock"
    try leave(lock: lock, holding: Data("half".utf8), in: box)
    // The writer removed it by hand, and their git took its own.
    unlink(lock)
    try Data("theirs".utf8).write(to: URL(filePath: lock))
    #expect(try await repository.clearStaleLocks() == [])
    #expect(try Data(contentsOf: URL(filePath: lock)) == Data("theirs".utf8))
    #expect(try locks(box).isEmpty)
  }

  @Test func `a lock whose Diary lives is left`() async throws {
    let (box, repository) = try await Sandbox.begun()
    let lock = box.root + "/.git/index.lock"
    try leave(lock: lock, holding: Data("half".utf8), in: box)
    let descriptor = open(box.root + "/.git/diary/locks/4242-1", O_RDWR | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX) == 0)
    #expect(try await repository.clearStaleLocks() == [])
    #expect(access(lock, F_OK) == 0)
    // Not by closing alone: a process that another test is just starting may still hold a copy.
    flock(descriptor, LOCK_UN)
    close(descriptor)
    #expect(try await repository.clearStaleLocks() == [lock])
  }

  @Test func `a branch whose lock somebody holds waits, with the index given back`() async throws {
    let (box, repository) = try await Sandbox.begun()
    let lock = box.root + "/.git/refs/heads/main.lock"
    try Data().write(to: URL(filePath: lock))
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"])
    guard case .deferred(.locked(lock, _)) = try await repository.sitting(box) else {
      Issue.record("moved a locked branch")
      return
    }
    #expect(access(box.root + "/.git/index.lock", F_OK) != 0)
    #expect(try await box.git("status", "--porcelain") == " M a.md\n")
    unlink(lock)
    #expect(try await repository.sitting(box).paths == ["a.md"])
  }

  @Test(arguments: [["b.md"], []])
  func `a commit of the writer that waits for its message is waited for`(
    _ paths: [String]
  ) async throws {
    let (box, repository) = try await Sandbox.begun()
    try box.write("b.md", "theirs\n")
    try await box.git("add", "b.md")
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"])
    let editor =
      "sh -c 'touch \(box.folder)/open; while test ! -e \(box.folder)/go; do sleep 0.01; done; echo mine > \"$1\"' -"
    async let theirs = box.git(["-c", "core.editor=\(editor)", "commit", "-q"] + paths)
    for _ in 0..<2_000 where access(box.folder + "/open", F_OK) != 0 {
      try await Task.sleep(for: .milliseconds(5))
    }
    try #require(access(box.folder + "/open", F_OK) == 0)
    // The waiting process tells, with paths as without; with them git holds the lock of its index, too.
    let outcome = try await repository.sitting(box)
    #expect(outcome == .deferred(.operation("commit")))
    #expect(try await repository.save(box, ["b.md"]) != nil)
    try Data().write(to: URL(filePath: box.folder + "/go"))
    _ = try await theirs
    #expect(try await repository.sitting(box, patience: .seconds(5)).paths == ["a.md"])
    #expect(try await box.git("log", "--format=%s") == "Edit a.md\nmine\nEdit a.md\n")
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `a change as young as the index still shows after a sitting`() async throws {
    let (box, repository) = try await Sandbox.begun()
    // Same size, and a modification time that the index's own does not exceed.
    try box.write("b.md", "old\n")
    try await box.git("add", "b.md")
    try await box.git("commit", "-qm", "b")
    var status = stat()
    #expect(stat(box.root + "/b.md", &status) == 0)
    let times = [status.st_mtim, status.st_mtim]
    try Data("new\n".utf8).write(to: URL(filePath: box.root + "/b.md"), options: [])
    #expect(utimensat(AT_FDCWD, box.root + "/b.md", times, 0) == 0)
    #expect(utimensat(AT_FDCWD, box.root + "/.git/index", times, 0) == 0)
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"])
    #expect(try await repository.sitting(box).paths == ["a.md"])
    // ctime would give it away where git trusts it.
    #expect(
      try await box.git("-c", "core.trustctime=false", "status", "--porcelain") == " M b.md\n")
  }

  @Test func `a gc in the middle takes nothing`() async throws {
    let (box, repository) = try await Sandbox.begun()
    async let sweeping: Void = {
      for _ in 0..<12 {
        _ = try? await box.git("reflog", "expire", "--expire=now", "--all")
        _ = try? await box.git("gc", "-q", "--prune=now")
      }
    }()
    for number in 0..<40 {
      let name = "f\(number % 5)/x.md"
      try box.write(name, "text \(number)\n")
      try await repository.save(box, [name])
      if number % 4 == 3 { _ = try await repository.sitting(box, patience: .seconds(5)) }
    }
    await sweeping
    _ = try await repository.sitting(box, patience: .seconds(5))
    #expect(try await box.git("fsck", "--strict", "--no-dangling") == "")
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `the writer's own adds and commits lose nothing to sittings at the same time`()
    async throws
  {
    let (box, repository) = try await Sandbox.begun()
    async let theirs: Int = {
      var done = 0
      for number in 0..<25 {
        try box.write("theirs/\(number).txt", "their \(number)\n")
        for _ in 0..<200 {
          if (try? await box.git("add", "theirs/\(number).txt")) != nil { break }
        }
        for _ in 0..<200 {
          if (try? await box.git("commit", "-qm", "their \(number)")) != nil {
            done += 1
            break
          }
        }
      }
      return done
    }()
    for number in 0..<25 {
      try box.write("ours/\(number).md", "our \(number)\n")
      try await repository.save(box, ["ours/\(number).md"])
      _ = try await repository.sitting(box, patience: .seconds(20))
    }
    #expect(try await theirs == 25)
    _ = try await repository.sitting(box, patience: .seconds(20))
    let files = try await box.git("ls-tree", "-r", "--name-only", "HEAD").split(separator: "\n")
    #expect(files.count == 51)
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await box.git("fsck", "--strict", "--no-dangling") == "")
    // No commit of ours holds a file of theirs, nor the other way round.
    let log = try await box.git("log", "--format=#%s", "--name-only")
    for commit in log.split(separator: "#") {
      #expect(!(commit.hasPrefix("Edit") && commit.contains("theirs/")))
      #expect(!(commit.hasPrefix("their") && commit.contains("ours/")))
    }
  }

  @Test func `two Diaries on one repository keep every save`() async throws {
    let (box, first) = try await Sandbox.begun()
    let second = try box.open()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (name, repository) in [("p", first), ("q", second)] {
        group.addTask {
          for number in 0..<20 {
            try box.write("\(name)\(number).md", "\(name) \(number)\n")
            try await repository.save(box, ["\(name)\(number).md"])
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await first.pending().count == 40)
    #expect(try await first.sitting(box, patience: .seconds(5)).paths?.count == 40)
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `a save that cannot be written throws and leaves the repository whole`() async throws {
    let (box, repository) = try await Sandbox.begun()
    let reference = box.root + "/.git/refs/diary/saves/main/main"
    let old = try String(contentsOfFile: reference, encoding: .utf8)
    try FileManager.default.removeItem(atPath: box.root + "/.git/diary/locks")
    try Data().write(to: URL(filePath: box.root + "/.git/diary/locks"))
    try box.write("a.md", "12\n")
    await #expect(throws: GitError.self) { try await repository.save(box, ["a.md"]) }
    #expect(try String(contentsOfFile: reference, encoding: .utf8) == old)
    unlink(box.root + "/.git/diary/locks")
    #expect(try await repository.save(box, ["a.md"]) != nil)
  }
}
