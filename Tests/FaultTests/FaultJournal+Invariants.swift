import Foundation
import TestSupport
import Testing

extension FaultJournal {
  /// Checks the state of a journal after any fault and one more command of Diary: nothing is
  /// damaged, pending or locked.
  func expectIntact(_ journal: String, _ story: String) async throws {
    let fsck = try await home.run(
      "git", ["fsck", "--strict", "--full", "--no-dangling"], in: journal)
    #expect(fsck.status == 0 && fsck.errors == "" && fsck.output == "", "\(story): \(fsck)")
    let status = try await home.git("status", "--porcelain", in: journal)
    #expect(status == "", "\(story): git status in \(journal)")
    let index = try await home.diary("index", "--verify", in: journal)
    #expect(index.status == 0, "\(story): \(index.errors)")
    let locks = try await home.run(
      "find", [".git", "-name", "*.lock"], in: journal)
    // An interrupted pack leaves such lock files, in a folder that git's next gc removes.
    let left = locks.output.split(separator: "\n").filter {
      !$0.contains("/diary/") && !$0.contains("/objects/tmp_objdir-diary-")
    }
    #expect(left == [], "\(story): locks in \(journal)")
    let own = try? FileManager.default.contentsOfDirectory(
      atPath: home.homePath + "/" + journal + "/.git/diary/locks")
    #expect(own ?? [] == [], "\(story): locks of Diary's")
    // The user's own git works.
    try home.write(story, to: journal + "/by-hand.txt")
    try await home.git("add", "by-hand.txt", in: journal)
    try await home.git("commit", "-qm", "by hand", in: journal)
    try await home.git("reset", "-q", "--hard", "HEAD~1", in: journal)
  }

  /// Checks that the files or the history contain all texts.
  func expectSaved(_ texts: [String], in journal: String, _ story: String) async throws {
    // Each text once: with a save for each of many files, their differences grow with the square.
    let objects = try await home.run(
      "sh", ["-c", "git rev-list --objects --no-object-names --all | git cat-file --batch"],
      in: journal)
    #expect(objects.status == 0, "\(story): \(objects.errors)")
    for word in texts { #expect(objects.output.contains(word), "\(story): \"\(word)\" is lost") }
  }
}
