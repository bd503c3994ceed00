import Foundation
import TestSupport
import Testing

/// Copies that Syncthing and similar programs write next to an entry. They are not entries, are
/// reported, and are merged on request.
@Suite(.serialized) struct ConflictCopyTests {
  let home: Sandbox
  private let entry = "2026/11/2026-11-22-walk.md"
  private let copy = "2026/11/2026-11-22-walk.sync-conflict-20261122-221819-DGYN457.md"
  private let start = "---\ntitle: Walk\ndate: 2026-11-22T10:00:00+09:00\n---\n\nTo the lake.\n"

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "1s")
    try await home.diary("init", "j")
    try home.write(start, to: "j/" + entry)
    try await home.diary("save", in: "j")
  }

  @Test func `text added while a conflict copy exists is saved by the watcher`() async throws {
    try await home.diary("new", "Today", "--message", "one", in: "j")
    let list = try await home.diary("list", "--paths", in: "j")
    let today = try #require(list.output.split(separator: "\n").first.map(String.init))
    let twin = today.replacing(".md", with: ".sync-conflict-20261122-221819-DGYN457.md")
    try FileManager.default.copyItem(atPath: today, toPath: twin)
    try await home.withWatcher { watcher in
      #expect(await watcher.prints("conflict copy, not saved: "), "\(watcher.output)")
      let added = try await home.diary("add", "precious words xyzzy", in: "j")
      #expect(added.status == 0 && added.output == today + "\n", "\(added)")
      let isSaved = try await Sandbox.holds { try await saves().contains("xyzzy") }
      #expect(isSaved, "\(watcher.output)")
    }
    #expect(try home.read(relative(today)).contains("xyzzy"))
  }

  @Test func `the watcher reports a copy that appears while it runs`() async throws {
    try await home.withWatcher { watcher in
      try home.write(start + "\nTea.\n", to: "j/" + copy)
      #expect(await watcher.prints("conflict copy, not saved: " + copy), "\(watcher.output)")
    }
  }

  @Test func `a copy is not an entry, and no command writes to it`() async throws {
    try home.write(start + "\nTea.\n", to: "j/" + copy)
    let list = try await home.diary("list", "--json", in: "j")
    #expect(!list.output.contains("sync-conflict"), "\(list.output)")
    #expect(try await home.diary("search", "Tea", in: "j").status == 2)
    for words in [
      ["add", "--to", copy, "more"], ["edit", copy], ["show", copy], ["delete", copy],
    ] {
      let refused = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(refused.status == 1, "\(words) \(refused)")
      #expect(refused.errors.contains("is a conflict copy of \(entry)"), "\(refused.errors)")
    }
    #expect(try home.read("j/" + copy) == start + "\nTea.\n")
    let status = try await home.diary("status", in: "j")
    #expect(status.output.contains("conflict copy  \(copy) of \(entry)"), "\(status.output)")
    let json = try await home.diary("status", "--json", in: "j")
    #expect(json.output.contains("\"conflict_copies\":[\"\(copy)\"]"), "\(json.output)")
    let save = try await home.diary("save", in: "j")
    #expect(save.errors.contains("Not saved: \(copy) is a conflict copy"), "\(save.errors)")
    #expect(!save.errors.contains("Everything"), "\(save.errors)")
    let check = try await home.diary("check", in: "j")
    #expect(check.errors.contains("checked, no other problems."), "\(check)")
    #expect(check.output.contains("[conflict-copy]"), "\(check.output)")
  }

  @Test func `check --fix merges a copy and keeps both texts in the history`() async throws {
    let ours = start + "\nJun slipped.\n"
    let theirs = start + "\nWe had tea.\n"
    try home.write(ours, to: "j/" + entry)
    try await home.diary("save", in: "j")
    try home.write(theirs, to: "j/" + copy)
    let unasked = try await home.diary("check", "--fix", in: "j")
    #expect(unasked.errors.contains("use --yes"), "\(unasked.errors)")
    #expect(try home.read("j/" + copy) == theirs)
    let fixed = try await home.diary("check", "--fix", "--yes", in: "j")
    #expect(fixed.status == 0 && fixed.errors.contains("Merged \(copy) into"), "\(fixed.errors)")
    #expect(!home.exists("j/" + copy))
    let merged = try home.read("j/" + entry)
    #expect(merged.contains("Jun slipped.") && merged.contains("We had tea."), "\(merged)")
    #expect(merged.components(separatedBy: "To the lake.").count == 2, "\(merged)")
    #expect(try await home.git("show", "HEAD:" + entry, in: "j") == merged)
    var seen: Set<String> = []
    for number in 0...3 {
      seen.insert(try await home.diary("show", entry, "--at", "\(number)", in: "j").output)
    }
    #expect(seen.isSuperset(of: [merged, theirs, ours]), "\(seen)")
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try home.read("j/" + entry) == ours)
    #expect(try home.read("j/" + copy) == theirs)
    #expect(try await home.git("diff", "HEAD", in: "j") == "")
  }

  @Test func `unsaved text is merged too`() async throws {
    try home.write(start + "\nNot saved.\n", to: "j/" + entry)
    try home.write(start + "\nWe had tea.\n", to: "j/" + copy)
    try await home.diary("check", "--fix", "--yes", in: "j")
    let merged = try home.read("j/" + entry)
    #expect(merged.contains("Not saved.") && merged.contains("We had tea."), "\(merged)")
  }

  @Test func `a copy whose entry is missing becomes the entry`() async throws {
    try FileManager.default.removeItem(atPath: home.homePath + "/j/" + entry)
    try await home.diary("save", in: "j")
    try home.write(start + "\nTea.\n", to: "j/" + copy)
    let fixed = try await home.diary("check", "--fix", "--yes", in: "j")
    #expect(fixed.errors.contains("Renamed \(copy) to \(entry)"), "\(fixed.errors)")
    #expect(!home.exists("j/" + copy))
    #expect(try await home.git("show", "HEAD:" + entry, in: "j") == start + "\nTea.\n")
  }

  @Test func `merging a committed copy removes it from git`() async throws {
    try home.write(start + "\nTea.\n", to: "j/" + copy)
    try await home.git("add", "-A", in: "j")
    try await home.git("commit", "-qm", "all of it", in: "j")
    try await home.diary("check", "--fix", "--yes", in: "j")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    #expect(try await home.git("ls-files", "2026", in: "j") == entry + "\n")
    #expect(try home.read("j/" + entry) == start + "\nTea.\n")
  }

  @Test func `a copy that is not text stays and does not block others`() async throws {
    let picture = copy.replacing("221819", with: "111111")
    try Data([0xFF, 0xFE, 0x00, 0xD8]).write(
      to: URL(fileURLWithPath: home.homePath + "/j/" + picture))
    try home.write(start + "\nTea.\n", to: "j/" + copy)
    let fixed = try await home.diary("check", "--fix", "--yes", in: "j")
    #expect(fixed.errors.contains("\(picture) cannot be merged"), "\(fixed.errors)")
    #expect(home.exists("j/" + picture) && !home.exists("j/" + copy))
    #expect(try home.read("j/" + entry).contains("Tea."))
  }

  private func relative(_ path: String) -> String {
    String(path.dropFirst(home.homePath.count + 1))
  }

  private func saves() async throws -> String {
    try await home.git(
      "log", "-p", "--format=%s", "-m", "--first-parent", "--glob=refs/diary/saves", in: "j")
  }
}
