import Foundation
import TestSupport
import Testing

extension FaultWorld {
  /// What holds of a journal after any fault, once Diary has looked at it again: nothing is damaged,
  /// nothing waits, nothing is in anybody's way.
  func expectWhole(_ journal: String, _ story: String) async throws {
    let fsck = try await home.run(
      "git", ["fsck", "--strict", "--full", "--no-dangling"], in: journal)
    #expect(fsck.status == 0 && fsck.errors == "" && fsck.output == "", "\(story): \(fsck)")
    let status = try await home.git("status", "--porcelain", in: journal)
    #expect(status == "", "\(story): git status in \(journal)")
    let index = try await home.diary("index", "--verify", in: journal)
    #expect(index.status == 0, "\(story): \(index.errors)")
    let locks = try await home.run(
      "find", [".git", "-name", "*.lock"], in: journal)
    // A pack that was being made has files of such names, in a folder that goes with git's next gc.
    let left = locks.output.split(separator: "\n").filter {
      !$0.contains("/diary/") && !$0.contains("/objects/tmp_objdir-diary-")
    }
    #expect(left == [], "\(story): locks in \(journal)")
    let own = try? FileManager.default.contentsOfDirectory(
      atPath: home.home + "/" + journal + "/.git/diary/locks")
    #expect(own ?? [] == [], "\(story): locks of Diary's")
    // The writer's own git is in nobody's way.
    try home.write(story, to: journal + "/by-hand.txt")
    try await home.git("add", "by-hand.txt", in: journal)
    try await home.git("commit", "-qm", "by hand", in: journal)
    try await home.git("reset", "-q", "--hard", "HEAD~1", in: journal)
  }

  /// All words stand in the files or in the history.
  func expectKept(_ words: [String], in journal: String, _ story: String) async throws {
    let log = try await home.git("log", "-p", "-m", "--all", "--format=", in: journal)
    for word in words { #expect(log.contains(word), "\(story): \"\(word)\" is lost") }
  }
}
