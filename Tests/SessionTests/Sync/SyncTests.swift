import Foundation
import TestSupport
import Testing

/// Two devices that sync through a bare repository in a folder.
struct TwoDevices {
  let home: Sandbox

  init(_ home: Sandbox) { self.home = home }

  /// Creates `a` and `b` with the same journal. The remote is `remote.git`.
  func setUp() async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    let made = try await home.diary("init", "a", "--remote", "remote.git")
    #expect(made.status == 0, "\(made.errors)")
    let cloned = try await home.diary("clone", "remote.git", "b")
    #expect(cloned.status == 0, "\(cloned.errors)")
  }

  @discardableResult
  func sync(_ device: String, _ options: String..., status: Int = 0) async throws
    -> Sandbox.ProgramResult
  {
    let result = try await home.run(Sandbox.programs + "/diary", ["sync"] + options, in: device)
    #expect(result.status == status, "\(device): \(result.errors)")
    return result
  }

  /// Syncs until every device has the changes of all others.
  func syncAll(_ devices: String...) async throws {
    for device in devices + devices { try await sync(device) }
    try await expectSame(devices)
  }

  func expectSame(_ devices: [String]) async throws {
    guard let first = devices.first else { return }
    let head = try await home.git("rev-parse", "HEAD", in: first)
    for device in devices {
      #expect(try await home.git("rev-parse", "HEAD", in: device) == head, "\(device)")
      #expect(try await home.git("status", "--porcelain", in: device) == "", "\(device)")
      #expect(try text(of: device) == text(of: first))
      try await home.git("fsck", "--strict", "--full", in: device)
    }
    #expect(try await home.git("rev-parse", "HEAD", in: "remote.git") == head)
  }

  /// The text of each file by its path.
  func text(of device: String) throws -> [String: String] {
    var texts: [String: String] = [:]
    for name in home.files(in: device) { texts[name] = try home.read(device + "/" + name) }
    return texts
  }

  func expectNoMarkers() throws {
    for device in ["a", "b"] {
      for (name, text) in try self.text(of: device) {
        #expect(!text.contains("<<<<<<<") && !text.contains(">>>>>>>"), "\(device)/\(name)")
      }
    }
  }
}

@Suite(.serialized) struct SyncTests {
  let home: Sandbox
  let devices: TwoDevices

  init() throws {
    home = try Sandbox()
    devices = TwoDevices(home)
  }

  let walk = "2026/11/2026-11-21-walk.md"

  func entry(_ body: String, title: String = "Walk") -> String {
    "---\ntitle: \(title)\ndate: 2026-11-21T10:00:00+09:00\n---\n\n\(body)\n"
  }

  /// Creates the same entry on both devices.
  func shareEntry(_ body: String) async throws {
    try await devices.setUp()
    try home.write(entry(body), to: "a/" + walk)
    try await devices.syncAll("a", "b")
  }

  @Test func `two devices with different changes end with the same journal`() async throws {
    try await devices.setUp()
    try await home.diary("new", "Morning", "-m", "Tea on a.", in: "a")
    try await home.diary("new", "Evening", "-m", "Soup on b.", in: "b")
    let first = try await devices.sync("a")
    #expect(first.errors.contains("In sync with \"origin\": pushed 1 commit."), "\(first.errors)")
    let second = try await devices.sync("b")
    #expect(
      second.errors.contains("received 1 commit, merged, pushed 2 commits"), "\(second.errors)")
    try await devices.syncAll("a", "b")
    let third = try await devices.sync("a")
    #expect(third.errors.contains("In sync with \"origin\": nothing new."), "\(third.errors)")
    #expect(home.files(in: "a").count == 3)
    let merge = try await home.git("log", "-1", "--format=%an <%ae>%n%B", in: "a")
    #expect(merge.hasPrefix("Diary <diary@localhost>\nMerge two devices' saves"), "\(merge)")
  }

  @Test func `a line changed on both devices keeps both versions, without markers`() async throws {
    try await shareEntry("The river was high today.")
    try home.write(entry("The river was wild today."), to: "a/" + walk)
    try home.write(entry("The river was calm today."), to: "b/" + walk)
    try await devices.sync("a")
    let merged = try await devices.sync("b")
    #expect(merged.errors.contains("Review \(walk): two devices"), "\(merged.errors)")
    let received = try await devices.sync("a")
    #expect(received.errors.contains("Review \(walk): two devices"), "\(received.errors)")
    try await devices.syncAll("a", "b")
    let text = try home.read("a/" + walk)
    #expect(text.contains("wild") && text.contains("calm") && !text.contains("high"), "\(text)")
    try devices.expectNoMarkers()
    let message = try await home.git("log", "-1", "--format=%(trailers:key=Review)", in: "a")
    #expect(message == "Review: \(walk)\n\n", "\(message)")
    // The commit of the merge is the same on all devices, so its time has no zone.
    let history = try await home.diary("history", "1", "--json", in: "a").output
    #expect(history.contains("Merge two devices") && !history.contains("+00:00"), "\(history)")
    try await expectReview(true, on: "a", "b")
    // A new header does not resolve the review, new text does, on each device that receives it.
    try await home.diary("rename", "1", "Wild and calm", in: "b")
    let renamed = "2026/11/2026-11-21-wild-and-calm.md"
    try home.write(
      home.read("b/" + renamed).replacing("and calm\n", with: "and calm\nmood: good\n"),
      to: "b/" + renamed)
    try await devices.syncAll("a", "b")
    try home.write(
      entry("The river was wild today, and then calm."), to: "b/" + renamed)
    try await devices.syncAll("a", "b")
    try await expectReview(false, on: "a", "b")
  }

  /// Expects that `status` and `list` show or do not show an entry to review.
  private func expectReview(_ isExpected: Bool, on folders: String...) async throws {
    for folder in folders {
      let status = try await home.diary("status", "--json", in: folder)
      #expect(status.output.contains("\"review\":[]") != isExpected, "\(status.output)")
      #expect(status.output.contains("\"kept_both\":[]") != isExpected, "\(status.output)")
      let list = try await home.diary("list", in: folder)
      #expect(list.output.contains("± ") == isExpected, "\(list.output)")
    }
  }

  @Test func `a version removed right after a merge is restored once and reported`() async throws {
    try await shareEntry("The river was high today.")
    try home.write(entry("The river was wild today."), to: "a/" + walk)
    try home.write(entry("The river was calm today."), to: "b/" + walk)
    try await devices.syncAll("a", "b")
    let before = try home.read("a/" + walk)
    // Either an editor with the text from before the sync or a deliberate choice writes this.
    try home.write(entry("The river was wild today."), to: "a/" + walk)
    let saved = try await home.diary("save", in: "a")
    #expect(
      saved.errors.contains("Restored and merged with a sync, because it was missing: \(walk)."),
      "\(saved.errors)")
    #expect(!saved.errors.contains("the watcher"), "\(saved.errors)")
    #expect(try home.read("a/" + walk) == before)
  }

  @Test func `a merge by plain git is reported too`() async throws {
    try await shareEntry("The river was high today.")
    try home.write(entry("The river was wild today."), to: "a/" + walk)
    try home.write(entry("The river was calm today."), to: "b/" + walk)
    try await devices.sync("a")
    try await home.diary("save", in: "b")
    try await home.git("pull", "-q", "--no-rebase", "--no-edit", in: "b")
    #expect(try home.read("b/" + walk).contains("wild"))
    try await home.diary("save", in: "b")
    try await expectReview(true, on: "b")
    try await devices.syncAll("b", "a")
    try await expectReview(true, on: "a", "b")
  }

  @Test func `an entry renamed on one device and edited on another is merged`() async throws {
    try await shareEntry("A long walk by the river.\n\nThe second paragraph stays.")
    try await home.diary("rename", "1", "River", in: "a")
    try home.write(
      entry("A long walk by the river.\n\nThe second paragraph was edited."), to: "b/" + walk)
    try await devices.syncAll("a", "b")
    #expect(home.files(in: "a") == ["2026/11/2026-11-21-river.md", "INDEX.md"])
    let text = try home.read("b/2026/11/2026-11-21-river.md")
    #expect(text.contains("title: River") && text.contains("was edited"), "\(text)")
  }

  @Test func `an edit wins over a deletion, and other deletions are synced`() async throws {
    try await shareEntry("First words.")
    let other = "2026/11/2026-11-20-other.md"
    try home.write("---\ntitle: Other\ndate: 2026-11-20\n---\n\nOther words.\n", to: "a/" + other)
    try await devices.syncAll("a", "b")
    try await home.diary("delete", "2026-11-21", "--yes", in: "a")
    try home.write(entry("First words, and more."), to: "b/" + walk)
    try await home.diary("delete", "2026-11-20", "--yes", in: "a")
    try await devices.syncAll("a", "b")
    #expect(try home.read("a/" + walk) == entry("First words, and more."))
    #expect(!home.exists("b/" + other))
  }

  @Test func `two attachments with the same name are both kept`() async throws {
    try await devices.setUp()
    for device in ["a", "b"] {
      try home.write(entry("![](photo.png)"), to: "\(device)/2026/11/2026-11-21-walk.md")
      try home.write("picture of \(device)\u{0}", to: device + "/2026/11/photo.png")
    }
    try await devices.syncAll("a", "b")
    let photos = home.files(in: "a").filter { $0.hasSuffix(".png") }
    #expect(photos.count == 2 && photos.contains("2026/11/photo.png"), "\(photos)")
    let texts = try photos.map { try home.read("a/" + $0) }
    #expect(Set(texts) == ["picture of a\u{0}", "picture of b\u{0}"])
  }

  @Test func `journals created separately are joined`() async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    for device in ["a", "b"] {
      // With the same author and second, the first commits of two journals would be identical.
      home.set("GIT_AUTHOR_NAME", "Writer on \(device)")
      try await home.diary("init", device)
      try await home.diary("new", "On \(device)", "-m", "Words of \(device).", in: device)
    }
    let first = try await home.diary("init", "a", "--remote", "remote.git")
    #expect(first.status == 0, "\(first.errors)")
    let second = try await home.diary("init", "b", "--remote", "remote.git")
    #expect(second.status == 0, "\(second.errors)")
    #expect(second.errors.contains("merged two separate journals"), "\(second.errors)")
    try await devices.syncAll("a", "b")
    #expect(home.files(in: "a").filter { $0.contains("on-") }.count == 2)
  }

  @Test func `another address for pushes gets what it lacks, and does not stop the sync`()
    async throws
  {
    try await devices.setUp()
    try await home.git("init", "-q", "--bare", "stick.git", in: "")
    let origin = try await home.git("remote", "get-url", "origin", in: "a").dropLast()
    for address in [String(origin), "\(home.homePath)/stick.git"] {
      try await home.git("remote", "set-url", "--add", "--push", "origin", address, in: "a")
    }
    func sync() async throws -> Sandbox.ProgramResult {
      try await home.run(Sandbox.programs + "/diary", ["sync"], in: "a")
    }
    #expect(try await sync().status == 0)
    let main = try await home.git("rev-parse", "HEAD", in: "a")
    #expect(try await home.git("rev-parse", "main", in: "stick.git") == main)
    // A stick with something else on it.
    try await home.git("clone", "-q", "stick.git", "other", in: "")
    try await home.git("commit", "-q", "--allow-empty", "-m", "else", in: "other")
    try await home.git("push", "-q", in: "other")
    let start = ContinuousClock.now
    let ahead = try await sync()
    #expect(ahead.status == 0 && ahead.errors.contains("another address"), "\(ahead)")
    #expect(ContinuousClock.now - start < .seconds(10))
    // A device that only reads.
    try await home.git("config", "--unset-all", "remote.origin.pushurl", in: "a")
    try await home.git("remote", "set-url", "--push", "origin", "no_push", in: "a")
    let reading = try await sync()
    #expect(reading.status == 0 && !reading.errors.contains("another"), "\(reading)")
  }

  @Test func `any branch name and an empty remote are supported`() async throws {
    try await home.git("init", "-q", "--bare", "-b", "journal", "remote.git", in: "")
    let begun = try await home.diary("clone", "remote.git", "a")
    #expect(begun.status == 0, "\(begun.errors)")
    #expect(begun.errors.contains("The remote was empty"), "\(begun.errors)")
    try await home.diary("new", "First", "-m", "Words.", in: "a")
    try await devices.sync("a")
    let branch = try await home.git("symbolic-ref", "--short", "HEAD", in: "a")
    #expect(branch == "journal\n")
    let cloned = try await home.diary("clone", "remote.git", "b")
    #expect(cloned.status == 0, "\(cloned.errors)")
    try await home.diary("new", "Second", "-m", "Words.", in: "b")
    try await devices.syncAll("a", "b")
  }

  @Test func `a list file in git is regenerated, not merged`() async throws {
    try await devices.setUp()
    try home.write(
      try home.read("a/.diary/config.yml") + "index: {commit: true}\n", to: "a/.diary/config.yml")
    try await home.diary("new", "Begin", "-m", "Words.", in: "a")
    try await devices.syncAll("a", "b")
    try await home.diary("new", "Morning", "-m", "Tea.", in: "a")
    try await home.diary("new", "Evening", "-m", "Soup.", in: "b")
    for device in ["a", "b", "a", "b"] { try await devices.sync(device) }
    try await devices.expectSame(["a", "b"])
    let list = try home.read("b/INDEX.md")
    #expect(list.contains("Morning") && list.contains("Evening") && list.contains("Begin"))
  }

  @Test func `the user's receivepack program is used and not changed`() async throws {
    try await devices.setUp()
    try home.write("#!/bin/sh\ntouch \"$HOME/asked\"\nexec git receive-pack \"$@\"\n", to: "far")
    try await home.git("config", "remote.origin.receivepack", "sh \"$HOME/far\"", in: "a")
    try await home.diary("new", "Morning", "-m", "Tea.", in: "a")
    try await devices.syncAll("a", "b")
    #expect(home.exists("asked"))
  }
}
