import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Glibc
import TestSupport

@testable import DiaryKit

extension SampleState {
  /// Brings a journal that has two versions of `a.md`, and an operation to undo, into the state.
  func make(in sample: inout ReceivingJournal) async throws {
    let (world, journal) = (sample.world, sample.journal)
    let shown = try sample.text("a.md")
    let typed = "\nA line of my own\(sample.tag).\n"
    let incoming = "\nMina told me\(sample.tag) that she will move in the spring.\n"
    switch self {
    case .clean: break
    case .unsaved: try sample.write(shown + typed, "a.md")
    case .emptied:
      try sample.write("", "a.md")
      try world.backdate("a.md")
    case .tooLarge:
      try sample.write(shown, "a.md")
      truncate(world.home.homePath + "/j/a.md", 51 << 20)
    case .deleted: try world.remove("a.md")
    case .missing:
      try world.remove("a.md")
      try world.remove("other.md")
    case .moved: try sample.move("a.md", to: "b.md")
    case .movedAndChanged:
      try sample.write(shown + typed, "a.md")
      try sample.move("a.md", to: "b.md")
    case .link:
      try world.remove("a.md")
      symlink("other.md", world.home.homePath + "/j/a.md")
    case .pending:
      try sample.write(shown + typed, "a.md")
      try await journal.savePaths("a.md")
    case .returned:
      try world.remove("a.md")
      try await journal.savePaths("a.md")
      try sample.write(shown, "a.md")
    case .onHold:
      _ = try await world.git("checkout", "-q", "--detach")
      try sample.write(shown + typed, "a.md")
      _ = try await journal.save()
    case .staged:
      try sample.write(shown + typed, "a.md")
      _ = try await world.git("add", "a.md")
      try sample.write(shown + typed + "Not staged.\n", "a.md")
    case .unmerged:
      _ = try await world.git("checkout", "-qb", "side")
      try sample.write(shown + incoming, "a.md")
      _ = try await world.git("commit", "-qam", "side")
      _ = try await world.git("checkout", "-q", "main")
      try sample.write(shown + typed, "a.md")
      _ = try await world.git("commit", "-qam", "main")
      _ = try? await world.git("merge", "-q", "side")
    case .leftToGit:
      try world.write("a.md filter=mine\n", ".gitattributes")
      _ = try await world.git("add", ".gitattributes")
      _ = try await world.git("commit", "-qm", "attributes")
      try sample.write(shown + typed, "a.md")
    case .pulled:
      try await sample.commitElsewhere(["a.md": shown + incoming])
      _ = try await world.git("pull", "-q", "../other", "main")
    case .waitsOpen, .waits, .waitsChanged:
      try open(world)
      try await sample.receive(["a.md": shown + incoming])
      if self != .waitsOpen { try world.remove(".#a.md") }
      if self == .waitsChanged { try sample.write(shown + typed, "a.md") }
    case .replaced, .oldBuffer:
      try await sample.receive(["a.md": shown + incoming])
      if self == .oldBuffer { try sample.write(shown + typed, "a.md") }
    case .gone:
      try await sample.receive(["a.md": String?.none])
      try sample.write(shown + typed, "a.md")
    case .movedBySync:
      try await sample.receive(["a.md": String?.none, "b.md": shown])
      try sample.write(shown + typed, "a.md")
    case .open: try open(world)
    case .blank:
      var new = NewEntry()
      new.title = "Evening"
      _ = try await journal.entries.createDraft(new)
    case .conflictCopy:
      try sample.write(
        shown + typed, "a.sync-conflict-20261101-101010-ABCDEFG.md")
    case .review: try await journal.locked { try await $0.integration.addReviews(["a.md"]) }
    case .stamp:
      try journal.state.queuedStamps.write([QueuedStamp(path: "a.md", moment: journal.now)])
    case .editorStamp:
      let stamp = WaitingStamp(moment: journal.now, weather: "Rain, 7°C")
      try journal.state.waitingStamps.write(["a.md": stamp])
    case .ignored:
      try world.write("hidden.md\n", ".gitignore")
      try sample.write(shown, "hidden.md")
    case .otherRepository:
      try await world.home.git("init", "-q", "inner", in: "j")
      try sample.write(shown, "inner/c.md")
    case .away:
      try makeFolders(world, ["vault", "j/trip"])
      try await sample.mount("--bind", "vault", "j/trip")
      try sample.write(shown, "trip/a.md")
      _ = try await journal.save()
      try await sample.unmount()
    case .justEmptied: try sample.write("", "a.md")
    // The kernel gives no size for this file, as for one that grows while it is read.
    case .changing: try await sample.mount("--bind", "/proc/version", "j/a.md")
    // Nobody, not even root, can open this file of a process that has ended.
    case .unreadable:
      try await world.home.run(
        "sh", ["-c", "mount --bind /proc/$$/environ \"$0\"", world.home.homePath + "/j/a.md"])
      sample.mounts.append(world.home.homePath + "/j/a.md")
    case .hardLinked:
      try FileManager.default.linkItem(
        atPath: world.home.homePath + "/j/a.md", toPath: world.home.homePath + "/backup.md")
      try sample.appendInPlace(typed, to: "backup.md")
    case .elsewhere:
      _ = try await world.git("checkout", "-qb", "side")
      try sample.write(shown + typed, "a.md")
      try await journal.savePaths("a.md")
      try sample.write(shown, "a.md")
      _ = try await world.git("checkout", "-q", "main")
    case .unborn:
      _ = try await world.git("checkout", "-q", "--orphan", "side")
      _ = try await world.git("rm", "-rq", "--cached", ".")
      try sample.write(shown + typed, "a.md")
    case .importKilled:
      try sample.write(Self.text + typed, "walk.md")
      try journal.state.unfinishedImport.write(["walk.md"])
    case .pageDraft: _ = try await journal.page.create(title: "", body: "We met at the station.")
    case .receivedMove: try await sample.receive(["a.md": String?.none, "b.md": shown])
    case .displaced:
      sample.displaced = try await sample.receiveWithoutDiscarding([
        "a.md": shown + incoming
      ])
      let folder = journal.stateFolder
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      guard let name = names.first(where: { $0.hasPrefix(".diary-") }) else {
        throw ProgramFailed(message: "no displaced file")
      }
      try sample.appendInPlace(typed, to: "j/.git/diary/" + name)
    case .leftover: try world.write("A line of my own.\n", ".git/diary/.diary-0123456789abcdef.tmp")
    case .list, .listCopy:
      var list = ListText()
      _ = try await journal.catalog.list()
      for entry in try journal.indexDatabase.list(ListFilter()) { list.append(entry) }
      try journal.folder.writeListFile("INDEX.md", list.bytes)
      if self == .listCopy {
        try sample.write(try sample.text("INDEX.md") + "\nA line of my own.\n", "lists/INDEX.md")
      }
    case .full:
      try sample.write(shown + typed, "a.md")
      try await sample.fill()
    case .readOnly:
      try sample.write(shown, "trip/a.md")
      _ = try await journal.save()
      try sample.append(typed, to: "trip/a.md")
      try await sample.mount("--bind", "j/trip", "j/trip")
      try await world.home.run("mount", ["-o", "remount,bind,ro", "j/trip"])
    case .suspended: try sample.write(shown + typed, "a.md")
    case .textFile, .settings:
      let (old, new, own) =
        self == .textFile
        ? ("- tea\n", "- tea\n- Mina told me: salt\n", "- tea\n- A line of my own.\n")
        : ("# ours\n", "# ours\nunits: imperial\n", "# ours\nautosave:\n  sitting: 20m\n")
      world.home.set("DIARY_AUTOSAVE__FILES", "all")
      try sample.reopen()
      try sample.write(old, path.text)
      _ = try await sample.journal.save()
      try await sample.receive([path.text: new])
      try sample.write(own, path.text)
    case .purged:
      try await sample.receive(["a.md": shown + incoming])
      let seen = try await journal.repository.blobID(of: Array(shown.utf8), at: "a.md").description
      try world.remove(".git/objects/\(seen.prefix(2))/\(seen.dropFirst(2))")
      try sample.write(shown + typed, "a.md")
    case .sparse:
      // git leaves a file that differs from its index.
      _ = try await world.git("status")
      _ = try await world.git("sparse-checkout", "set", "--no-cone", "/*", "!/a.md")
    case .oldAgain:
      try await sample.receive(["a.md": shown + incoming])
      try sample.write(shown + typed, "a.md")
      _ = try await journal.save()
      try sample.write(shown + typed, "a.md")
    case .editing: break
    }
  }

  private func makeFolders(_ world: TestJournal, _ names: [String]) throws {
    for name in names {
      try FileManager.default.createDirectory(
        atPath: world.home.homePath + "/" + name, withIntermediateDirectories: true)
    }
  }

  private func open(_ world: TestJournal) throws {
    try FileManager.default.createSymbolicLink(
      atPath: world.home.homePath + "/j/.#a.md",
      withDestinationPath: "mina@\(ProcessInfo.processInfo.hostName).\(getpid())")
  }
}
