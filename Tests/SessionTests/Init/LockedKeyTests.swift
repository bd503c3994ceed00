import Foundation
import TestSupport
import Testing

/// The key of a sealed remote of a journal that locks: the disk has it in no plain file.
@Suite(.serialized) struct LockedKeyTests: LockedJournalTests {
  let home: Sandbox

  init() throws { home = try Self.makeHome() }

  /// The key files in a folder, without the temporary ones of a killed process.
  private func keys(in folder: String) -> [String] {
    home.files(in: folder).filter { $0.hasSuffix(".txt") }
  }

  @Test func `the key of a journal that locks is in the journal, until it is left`() async throws {
    try await withJournal {
      try await home.git("init", "-q", "--bare", "host.git", in: "")
      let made = try await home.diary("init", "j", "--remote", "host.git", "--sealed", "--yes")
      #expect(made.status == 0 && made.errors.contains("j/.git/diary/keys/"), "\(made)")
      let inside = keys(in: "j/.git/diary/keys")
      #expect(inside.count == 1 && keys(in: ".config/diary/keys").isEmpty)
      let key = try home.read("j/.git/diary/keys/" + #require(inside.first))
      let again = try await home.diary("init", "j", "--remote", "host.git", "--sealed", "--yes")
      #expect(again.status == 0 && keys(in: "j/.git/diary/keys") == inside, "\(again)")
      try await home.diary("new", "plover", "-m", "Lapwings.", "--journal", "j")
      #expect(try await home.diary("sync", "--journal", "j").status == 0)
      try await home.git("push", "-q", "origin", "main:by-hand", in: "j")
      let list = try await home.diary("key", "--show", "--json", "--journal", "j")
      #expect(list.output.contains(key.trimmingCharacters(in: .newlines)), "\(list)")

      // While it is locked, no key is stored in plain.
      try await lock()
      try home.write(key, to: "j.txt")
      let shown = try await home.diary("key", "--journal", "j")
      #expect(shown.status == 3, "\(shown)")
      let refused = try await home.diary("key", "add", "j.txt", "--journal", "j")
      #expect(refused.status == 3 && keys(in: ".config/diary/keys").isEmpty, "\(refused)")
      try await unlock()

      let left = try await home.diary("leave", "--yes", "--journal", "j")
      #expect(left.status == 0 && left.errors.contains("is not encrypted any more: "), "\(left)")
      #expect(keys(in: ".config/diary/keys") == inside)
      #expect(try home.read(".config/diary/keys/" + inside[0]) == key)
      try await home.git("fetch", "-q", "origin", in: "j")
    }
  }

  @Test func `a journal that is encrypted says where its key is, and takes it in`() async throws {
    try await withJournal {
      try await home.git("init", "-q", "--bare", "host.git", in: "")
      try await home.diary("init", "p", "--remote", "host.git", "--sealed", "--yes")
      let name = try #require(keys(in: ".config/diary/keys").first)
      let file = home.homePath + "/.config/diary/keys/" + name
      let done = try await home.diary("encrypt", "--journal", "p")
      #expect(
        done.status == 0
          && done.errors.contains(
            "diary key add --journal \(home.homePath)/p \(file) && rm \(file)"),
        "\(done)")
      // A journal that is named and not there is no reason to take the user's folder.
      let nowhere = try await home.diary("key", "add", file, "--journal", "nowhere")
      #expect(nowhere.status == 1, "\(nowhere)")
      let added = try await home.diary("key", "add", file, "--journal", "p")
      #expect(added.output.contains("Stored in \(home.homePath)/p/.git/diary/keys/"), "\(added)")
      let twice = try await home.diary("key", "add", file, "--journal", "p")
      #expect(twice.output.contains("It is here already"), "\(twice)")
      try FileManager.default.removeItem(atPath: file)
      try await home.diary("new", "plover", "-m", "Lapwings.", "--journal", "p")
      let sync = try await home.diary("sync", "--journal", "p")
      #expect(sync.status == 0, "\(sync)")
      try await home.run("umount", ["-l", home.homePath + "/p"])
    }
  }
}
