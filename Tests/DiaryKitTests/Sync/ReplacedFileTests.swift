import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// What a sync brought stays in the files, whatever then happens to a file that it replaced, when an
/// editor's old buffer is written.
@Suite struct ReplacedFileTests {
  static let old = "# Day\n\nWe met at the station.\n"
  static let incoming = old + "\nMina told me that she will move to Busan.\n"
  static let typed = old + "\nThen I walked home through the rain.\n"

  /// A journal in which a sync has replaced `day.md`.
  private func replacedDay() async throws -> ReceivingJournal {
    let device = try await ReceivingJournal(["day.md": Self.old, "o.md": "o\n"])
    try await device.receive(["day.md": Self.incoming])
    #expect(try device.text("day.md") == Self.incoming)
    return device
  }

  private func expectBoth(_ device: ReceivingJournal, _ name: String = "day.md") async throws {
    _ = try await device.journal.save()
    let text = try device.text(name)
    #expect(text.contains("Busan") && text.contains("rain"), "\(text)")
  }

  @Test func `a merged conflict copy is no old buffer`() async throws {
    let plan = "An old plan for the week.\n\n"
    let device = try await ReceivingJournal(["day.md": plan + Self.old])
    try await device.receive(["day.md": plan + Self.incoming])
    try await device.receive(["day.md": Self.incoming])
    let path: EntryPath = "day.sync-conflict-20261122-221819-DGYN457.md"
    try device.write(plan + Self.old + "\nThe phone says: bring bread.\n", path.text)
    let copy = try #require(ConflictCopy(path))
    _ = try await device.journal.checkouts.merge(copy)
    _ = try await device.journal.save()
    let text = try device.text("day.md")
    #expect(text.contains("Busan") && text.contains("bread"), "\(text)")
  }

  @Test func `a kept version is in the history and never the saved state`() async throws {
    let device = try await ReceivingJournal(["day.md": Self.old])
    let journal = device.journal
    try await journal.locked { journal in
      try await journal.saver.keepVersion(Array(Self.typed.utf8), of: "day.md")
      try await journal.saver.keepVersion(Array(Self.typed.utf8), of: "none.md")
    }
    let repository = try journal.repository
    #expect(try await repository.savedContent("day.md") == Array(Self.old.utf8))
    #expect(try await repository.savedContent("none.md") == nil)
    let typed = try await repository.blobID(of: Array(Self.typed.utf8), at: "day.md")
    for path: EntryPath in ["day.md", "none.md"] {
      #expect(try await repository.versions(of: path).versions.contains { $0.blob == typed })
    }
  }

  @Test func `an editor that writes over a command's text is an editor`() async throws {
    let device = try await replacedDay()
    let journal = device.journal
    try await journal.locked { journal in
      let file = try await journal.saver.enter(["day.md"]).file(at: "day.md")
      try await journal.saver.rewrite(file) { try $0.set("starred", .text("true")) }?.discard()
      try device.write(Self.typed, "day.md")
      _ = try await journal.saver.saveCommandChanges(["day.md"])
    }
    try await expectBoth(device)
  }

  @Test func `a command writes on top of the merge with an old buffer`() async throws {
    let device = try await replacedDay()
    let journal = device.journal
    try device.write(Self.typed, "day.md")
    try await journal.locked { journal in
      let file = try await journal.saver.enter(["day.md"]).file(at: "day.md")
      try await journal.saver.rewrite(file) { try $0.set("starred", .text("true")) }?.discard()
      _ = try await journal.saver.saveCommandChanges(["day.md"])
    }
    try await expectBoth(device)
    #expect(try device.text("day.md").contains("starred"))
  }

  @Test(arguments: ["file", "folder", "rename", "file, unsaved"])
  func `an old buffer of a moved file is merged`(_ how: String) async throws {
    let device = try await ReceivingJournal(["t/day.md": Self.old, "t/o.md": "o\n"])
    try await device.receive(["t/day.md": Self.incoming])
    var name = "t/night.md"
    switch how {
    case "folder":
      try device.move("t", to: "u")
      name = "u/day.md"
    case "rename": name = try await device.journal.entries.rename("t/day.md", to: "Night").path.text
    default: try device.move("t/day.md", to: name)
    }
    if how != "file, unsaved" { _ = try await device.journal.save() }
    try device.write(Self.typed, name)
    try await expectBoth(device, name)
    #expect(!device.world.home.exists("j/t/day.md"))
  }

  @Test func `an old buffer at the path from which a sync moved the file goes to the file`()
    async throws
  {
    let device = try await ReceivingJournal(["day.md": Self.old])
    try await device.receive(["day.md": nil, "night.md": Self.old + "\nTo Busan.\n"])
    for _ in 0..<2 {
      try device.write(Self.typed, "day.md")
      try await expectBoth(device, "night.md")
      #expect(try !device.names().contains("day.md"))
    }
    // Another text with that name is another entry.
    try device.write("Something else.\n", "day.md")
    _ = try await device.journal.save()
    #expect(try device.text("day.md") == "Something else.\n")
  }

  @Test(arguments: ["delete and undo", "rm and save"])
  func `a file that comes back has its record`(_ how: String) async throws {
    let device = try await replacedDay()
    if how == "rm and save" {
      try device.world.remove("day.md")
      _ = try await device.journal.save()
    } else {
      _ = try await device.journal.entries.delete(["day.md"])
      _ = try await device.journal.history.undo(try await device.journal.history.planUndo())
    }
    try device.write(Self.typed, "day.md")
    try await expectBoth(device)
  }

  @Test func `another file at a deleted path is a new file`() async throws {
    let device = try await replacedDay()
    _ = try await device.journal.entries.delete(["day.md"])
    try device.write("A new day.\n", "day.md")
    _ = try await device.journal.save()
    #expect(try device.text("day.md") == "A new day.\n")
    #expect(try device.journal.state.checkouts.load() == [])
  }

  @Test(arguments: [".diary/config.yml", "caf\u{E9}.md"])
  func `an old buffer that cannot be merged becomes a second file`(_ name: String) async throws {
    // Latin-1 is a text that is not merged.
    func bytes(_ text: String) -> Data {
      name.hasSuffix(".md")
        ? text.replacing("\u{E9}", with: "\u{E8}").data(using: .isoLatin1) ?? Data()
        : Data(text.utf8)
    }
    let (old, incoming, typed) = (
      "# caf\u{E9}\n", "# caf\u{E9}\n# Mina will move to Busan in spring\n",
      "# caf\u{E9}\n# my own words\n"
    )
    let device = try await ReceivingJournal(["o.md": "o\n"])
    let home = device.world.home.homePath
    try bytes(old).write(to: URL(fileURLWithPath: "\(home)/j/\(name)"))
    _ = try await device.journal.save()
    try await device.commitElsewhere(["p.md": "p\n"])
    try bytes(incoming).write(to: URL(fileURLWithPath: "\(home)/other/\(name)"))
    try await device.receive(["q.md": "q\n"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(home)/j/\(name)")) == bytes(incoming))
    try bytes(typed).write(to: URL(fileURLWithPath: "\(home)/j/\(name)"))
    _ = try await device.journal.save()
    #expect(try Data(contentsOf: URL(fileURLWithPath: "\(home)/j/\(name)")) == bytes(incoming))
    let folder = URL(fileURLWithPath: "\(home)/j/\(name)").deletingLastPathComponent()
    let all = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    #expect(all.contains { (try? Data(contentsOf: $0)) == bytes(typed) }, "\(all)")
  }

  @Test func `no record gives way to others`() async throws {
    let device = try await replacedDay()
    let journal = device.journal
    var all = try journal.state.checkouts.load()
    for number in 0..<600 {
      var checkout = all[0]
      checkout.name = "n\(number).md"
      all.append(checkout)
    }
    try journal.state.checkouts.write(all)
    try await device.receive(["o.md": "other\n"])
    try device.write(Self.typed, "day.md")
    try await expectBoth(device)
  }

  @Test func `a purged version is no evidence, and saves go on`() async throws {
    let device = try await replacedDay()
    let journal = device.journal
    var all = try journal.state.checkouts.load()
    all[0].brought = String(repeating: "1", count: 40)
    all[0].seen = [String(repeating: "2", count: 40)]
    try journal.state.checkouts.write(all)
    try device.write(Self.typed, "day.md")
    try device.write("z\n", "z.md")
    #expect(try await journal.save().saved == ["day.md", "z.md"])
    #expect(try device.text("day.md") == Self.typed)
  }

  @Test func `damaged records are an error that names the file`() async throws {
    let device = try await replacedDay()
    let path = device.journal.state.checkouts.path
    try "[{".write(toFile: path, atomically: true, encoding: .utf8)
    try device.write(Self.typed, "day.md")
    let error = await #expect(throws: DiaryError.self) { try await device.journal.save() }
    #expect(error?.message.contains(path) == true && error?.hint?.contains("git status") == true)
    try FileManager.default.removeItem(atPath: path)
    #expect(try await device.journal.save().saved == ["day.md"])
  }

  @Test(arguments: [
    ["pull", "--ff-only"], ["pull", "--no-ff", "--no-edit"], ["pull", "--rebase"],
  ])
  func `what the user's git brought is protected, too`(_ command: [String]) async throws {
    let device = try await ReceivingJournal(["day.md": Self.old, "o.md": "o\n"])
    try device.write("more\n", "o.md")
    _ = try await device.journal.save()
    try await device.commitElsewhere(["day.md": Self.incoming])
    let arguments = [command[0], "-q"] + command.dropFirst() + ["../other", "main"]
    let pulled = try await device.world.home.run("git", arguments, in: "j")
    #expect(pulled.status == 0, "\(pulled.errors)")
    #expect(try device.text("day.md") == Self.incoming)
    try device.write(Self.typed, "day.md")
    try await expectBoth(device)
  }

  @Test func `the user's own commits are no sync`() async throws {
    let device = try await ReceivingJournal(["day.md": Self.old])
    try device.write(Self.typed, "day.md")
    _ = try await device.journal.save()
    try device.write(Self.incoming, "day.md")
    _ = try await device.world.git("commit", "-qam", "mine")
    try device.write(Self.old, "day.md")
    _ = try await device.journal.save()
    #expect(try device.text("day.md") == Self.old)
  }

  @Test func `stamps and entries to review follow a moved file`() async throws {
    let device = try await ReceivingJournal(["day.md": Self.old])
    let journal = device.journal
    let saved = try #require(try await journal.repository.savedBlobs(at: ["day.md"])["day.md"])
    try journal.gitLocation.makeDiaryDirectory()
    try journal.state.queuedStamps.write([QueuedStamp(path: "day.md", moment: 1)])
    try journal.state.waitingStamps.write(["day.md": WaitingStamp(moment: 2)])
    try await journal.locked {
      try $0.update(journal.state.sync) { $0.keptBoth = ["day.md": saved.description] }
    }
    try device.move("day.md", to: "night.md")
    _ = try await journal.save()
    #expect(journal.state.queuedStamps.read() == [QueuedStamp(path: "night.md", moment: 1)])
    #expect(journal.state.waitingStamps.read().keys.sorted() == ["night.md"])
    #expect(try await journal.remote.recordedReviews() == ["night.md"])
  }
}
