import Foundation
import GitServers
import TestSupport
import Testing

/// Journals on disks that are not Linux's own: a folder of another machine (sshfs), and one whose
/// names have no case (NTFS); and an encrypted folder (gocryptfs). All are the real programs, over
/// FUSE.
@Suite(.serialized) struct ForeignDiskTests {
  let home: Sandbox
  let devices: TwoDevices

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
    home.setAutosave(settle: "200ms", sitting: "2s")
  }

  @Test func `a journal in a folder of another machine`() async throws {
    let server = try await SSHServer.start(home)
    defer { server.stop() }
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/far", withIntermediateDirectories: true)
    let far = "\(SSHServer.alias):\(home.homePath)/far"
    let options = "sftp_server=/usr/lib/openssh/sftp-server"
    try await withDisk("sshfs", ["-o", options, far]) {
      try await useJournal()
      try await syncWithOtherDevice()
    }
  }

  @Test func `a journal in a folder of gocryptfs`() async throws {
    let isMounted = try await home.withEncryptedFolder(at: "disk") {
      try await useJournal()
      try await syncWithOtherDevice()
    }
    guard isMounted else { try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)") }
  }

  @Test func `a journal on a disk whose names have no case`() async throws {
    try await home.run("truncate", ["-s", "64M", "image"])
    let made = try await home.run("/sbin/mkntfs", ["-F", "-Q", "-q", "image"])
    try #require(made.status == 0, "\(made)")
    try await withDisk("lowntfs-3g", ["-o", "ignore_case", "image"]) {
      try home.write("", to: "disk/case")
      try #require(home.exists("disk/CASE"))
      try await useJournal()
      try await syncWithOtherDevice()
      try await syncNamesDifferingInCase()
    }
  }

  /// Runs `body` while `disk` is what the program mounts there.
  private func withDisk(
    _ program: String, _ words: [String], _ body: () async throws -> Void
  ) async throws {
    guard try await home.withMount(program, words, at: "disk", body) else {
      try Test.cancel("no disk may be mounted here")
    }
  }

  /// All that a writer does with one device.
  private func useJournal() async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    try await diary(
      "init", "--remote", home.homePath + "/remote.git", home.homePath + "/disk/a", in: "")
    try await diary("new", "Fog", "-m", "The harbour in fog.")
    try await diary("new", "An owl", "-m", "Heard at night.")
    #expect(try await diary("list").contains("An owl"))
    #expect(try await diary("search", "harbour").contains("Fog"))
    try await checkWatcher()
    try await diary("rename", "An owl", "A barn owl")
    #expect(try await diary("show", "A barn owl").contains("Heard at night."))
    let owl = try #require(home.files(in: "disk/a").first { $0.hasSuffix("owl.md") })
    try await diary("delete", "--yes", owl)
    #expect(try await !diary("list").contains("owl"))
    try await diary("undo", "--yes")
    #expect(try await diary("show", "A barn owl").contains("Heard at night."))
    try await checkStaging()
    try await expectHealthy()
  }

  /// What the writer has staged stays theirs, and git's lock is given back though nothing came of it.
  private func checkStaging() async throws {
    try home.write("One.\n", to: "disk/a/staged.md")
    try await home.git("add", "staged.md", in: "disk/a")
    try home.write("One, and two.\n", to: "disk/a/staged.md")
    try await diary("save")
    try await home.git("commit", "-q", "-m", "By hand", in: "disk/a")
    #expect(try await home.git("show", "HEAD:staged.md", in: "disk/a") == "One.\n")
    try await diary("save")
  }

  /// Files saved in the ways of editors, and one that is begun with no program of Diary's.
  private func checkWatcher() async throws {
    let files = home.files(in: "disk/a")
    let fog = try #require(files.first { $0.hasSuffix("fog.md") })
    let owl = try #require(files.first { $0.hasSuffix("owl.md") })
    let (onFog, onOwl) = try (home.read("disk/a/" + fog), home.read("disk/a/" + owl))
    try await home.withWatcher(in: "disk/a", mustEnd: false) { watcher in
      let script = "printf '\\nIt lifted.\\n' >>\"$1\"; cat \"$2\" - >tmp; mv tmp \"$2\""
      try await home.run("sh", ["-c", script, "sh", fog, owl], in: "disk/a", input: "\nTwice.\n")
      try home.write("Rain.\n", to: "disk/a/rain.md")
      try await expectSaved("It lifted.", fog, watcher)
      try await expectSaved("Twice.", owl, watcher)
      try await expectSaved("Rain.", "rain.md", watcher)
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    #expect(try home.read("disk/a/" + fog) == onFog + "\nIt lifted.\n")
    #expect(try home.read("disk/a/" + owl) == onOwl + "\nTwice.\n")
    #expect(try await home.git("status", "--porcelain", in: "disk/a") == "")
  }

  /// A folder on a network is looked at every ten seconds.
  private func expectSaved(_ words: String, _ file: String, _ watcher: BackgroundProcess)
    async throws
  {
    let isSaved = try await Sandbox.holds {
      let kept = try await home.run(
        "git", ["show", "refs/diary/saves/heads/main:" + file], in: "disk/a")
      let committed = try await home.run("git", ["show", "HEAD:" + file], in: "disk/a")
      return kept.output.contains(words) || committed.output.contains(words)
    }
    #expect(isSaved, "\(words): \(watcher.output)")
  }

  /// Another device writes at the same time, also in the same entry.
  private func syncWithOtherDevice() async throws {
    try await devices.sync("disk/a")
    let cloned = try await home.diary("clone", "remote.git", "b")
    #expect(cloned.status == 0, "\(cloned)")
    try home.write("Rain, and then hail.\n", to: "disk/a/rain.md")
    try home.write("Rain, and then snow.\n", to: "b/rain.md")
    try await diary("new", "Tea", "-m", "On the one.")
    try await diary("new", "Soup", "-m", "On the other.", in: "b")
    for device in ["disk/a", "b", "disk/a", "b"] { try await devices.sync(device) }
    let rain = try home.read("disk/a/rain.md")
    #expect(rain.contains("hail") && rain.contains("snow") && !rain.contains("<<<"), "\(rain)")
    try await expectSame()
  }

  /// On the other device two entries may be called alike but for the case. Here they are one file,
  /// which waits for a sync, and then has the words of both under both names.
  private func syncNamesDifferingInCase() async throws {
    try home.write("Small.\n", to: "b/walk.md")
    try home.write("Large.\n", to: "b/Walk.md")
    try await devices.sync("b")
    let first = try await devices.sync("disk/a", status: 1)
    #expect(
      first.errors.contains("walk.md already exists, but the sync has another file with this name"))
    for device in ["disk/a", "disk/a", "b", "disk/a", "b"] { try await devices.sync(device) }
    for file in ["disk/a/walk.md", "b/walk.md", "b/Walk.md"] {
      let text = try home.read(file)
      #expect(text.contains("Small.") && text.contains("Large."), "\(file): \(text)")
    }
    try await expectSame()
  }

  /// Both devices have the same journal; lowntfs-3g tells all names in small letters, also to the
  /// list.
  private func expectSame() async throws {
    let heads = try await (
      home.git("rev-parse", "HEAD", in: "disk/a"), home.git("rev-parse", "HEAD", in: "b")
    )
    #expect(heads.0 == heads.1)
    var texts = try devices.text(of: "disk/a")
    texts["INDEX.md"] = nil
    texts["index.md"] = nil
    for (name, text) in try devices.text(of: "b") where name != "INDEX.md" {
      #expect(try home.read("disk/a/" + name) == text, "\(name)")
      texts[name] = nil
      texts[name.lowercased()] = nil
    }
    #expect(texts.isEmpty)
    #expect(try await home.git("status", "--porcelain", in: "b") == "")
    try await expectHealthy()
  }

  @discardableResult
  private func diary(_ words: String..., in folder: String = "disk/a") async throws -> String {
    let result = try await home.run(Sandbox.programs + "/diary", words, in: folder)
    #expect(result.status == 0, "\(words): \(result)")
    return result.output
  }

  private func expectHealthy() async throws {
    #expect(try await home.git("status", "--porcelain", in: "disk/a") == "")
    try await home.git("fsck", "--strict", "--full", in: "disk/a")
    try await diary("index", "--verify")
    let locks = try await home.run("find", [".git", "-name", "*.lock"], in: "disk/a")
    #expect(!locks.output.split(separator: "\n").contains { !$0.hasPrefix(".git/diary/") })
  }
}
