import DiaryCore
import Foundation
import Glibc
import TestSupport

@testable import DiaryKit

/// A state of a path, as the table in docs/architecture.md names it. Each one is made by what makes
/// it in a user's folder: an editor, a sync, git, a mount.
enum SampleState: String, CaseIterable, Sendable {
  case clean
  case unsaved
  case emptied = "emptied by a crash"
  case tooLarge = "over 50 MB"
  case deleted = "deleted, not saved"
  case missing
  case moved = "moved, not saved"
  case movedAndChanged = "moved and changed, not saved"
  case link = "a link in its place"
  case pending
  case returned = "deletion saved, file is back"
  case onHold = "commits on hold"
  case staged
  case unmerged = "unmerged in git"
  case leftToGit = "left to git"
  case pulled = "replaced by git pull"
  case waitsOpen = "waits, editor open"
  case waits
  case waitsChanged = "waits, newer text on disk"
  case replaced = "replaced by a sync"
  case oldBuffer = "old buffer on disk"
  case gone = "gone by a sync, written again"
  case movedBySync = "moved by a sync, old buffer at the old path"
  case open = "open in an editor"
  case blank
  case conflictCopy = "conflict copy beside it"
  case review = "to review"
  case stamp = "stamp waits"
  case ignored
  case otherRepository = "in another repository"
  case away = "on a disk that is not mounted"

  static let text = "---\ntitle: Station: late\n---\n\nWe met at the station.\n"
  static let incoming = "\nMina told me that she will move in the spring.\n"
  static let typed = "\nA line of my own.\n"

  /// The path that the commands get.
  var path: EntryPath {
    switch self {
    case .moved, .movedAndChanged: "b.md"
    case .ignored: "hidden.md"
    case .otherRepository: "inner/c.md"
    case .away: "trip/a.md"
    case .blank: "2026/11/2026-11-21-evening.md"
    default: "a.md"
    }
  }

  /// Words that the state has on the disk or in the branch, and that no command may lose.
  var words: [String] {
    switch self {
    case .unsaved, .movedAndChanged, .pending, .onHold, .staged, .leftToGit, .gone, .movedBySync:
      ["A line of my own."]
    case .pulled, .waitsOpen, .waits, .replaced: ["Mina told me"]
    case .waitsChanged, .oldBuffer, .unmerged: ["Mina told me", "A line of my own."]
    default: ["We met at the station."]
    }
  }

  /// True if the words come from another device: they stay in the files, too.
  var isFromElsewhere: Bool {
    switch self {
    case .pulled, .waitsOpen, .waits, .waitsChanged, .replaced, .oldBuffer: true
    default: false
    }
  }

  /// True if a command that refuses the path, or leaves it out, does not end the state.
  var isLasting: Bool {
    switch self {
    case .emptied, .tooLarge, .missing, .link, .onHold, .staged, .unmerged, .leftToGit, .waitsOpen,
      .conflictCopy, .review, .ignored, .away:
      true
    default: false
    }
  }

  /// True if `status` names the path in this state.
  func isNamed(in status: JournalStatus) -> Bool {
    let skipped = status.skipped.map(\.path)
    return switch self {
    case .unsaved, .movedAndChanged, .oldBuffer, .gone, .movedBySync:
      !status.unsaved.isEmpty
    case .emptied, .tooLarge, .link, .unmerged, .leftToGit, .ignored:
      skipped.contains(path)
    case .otherRepository: !skipped.contains(path)
    case .deleted, .missing, .away: status.missing.contains(path)
    case .pending: status.pending.contains(path)
    case .onHold: status.deferReason != nil
    case .staged: status.stagedByUser.contains(path)
    case .waitsOpen, .waits, .waitsChanged: status.toUpdate.map(\.path).contains(path)
    case .conflictCopy: status.conflictCopies.map(\.original).contains(path)
    case .review: status.review.contains(path)
    case .clean, .moved, .returned, .pulled, .replaced, .open, .blank, .stamp: true
    }
  }

  /// Brings a journal that has two versions of `a.md`, and an operation to undo, into the state.
  func make(in sample: ReceivingJournal) async throws {
    let (world, journal) = (sample.world, sample.journal)
    let shown = try sample.text("a.md")
    switch self {
    case .clean: break
    case .unsaved: try sample.write(shown + Self.typed, "a.md")
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
      try sample.write(shown + Self.typed, "a.md")
      try sample.move("a.md", to: "b.md")
    case .link:
      try world.remove("a.md")
      symlink("other.md", world.home.homePath + "/j/a.md")
    case .pending:
      try sample.write(shown + Self.typed, "a.md")
      try await journal.savePaths("a.md")
    case .returned:
      try world.remove("a.md")
      try await journal.savePaths("a.md")
      try sample.write(shown, "a.md")
    case .onHold:
      _ = try await world.git("checkout", "-q", "--detach")
      try sample.write(shown + Self.typed, "a.md")
      _ = try await journal.save()
    case .staged:
      try sample.write(shown + Self.typed, "a.md")
      _ = try await world.git("add", "a.md")
      try sample.write(shown + Self.typed + "Not staged.\n", "a.md")
    case .unmerged:
      _ = try await world.git("checkout", "-qb", "side")
      try sample.write(shown + Self.incoming, "a.md")
      _ = try await world.git("commit", "-qam", "side")
      _ = try await world.git("checkout", "-q", "main")
      try sample.write(shown + Self.typed, "a.md")
      _ = try await world.git("commit", "-qam", "main")
      _ = try? await world.git("merge", "-q", "side")
    case .leftToGit:
      try world.write("a.md filter=mine\n", ".gitattributes")
      _ = try await world.git("add", ".gitattributes")
      _ = try await world.git("commit", "-qm", "attributes")
      try sample.write(shown + Self.typed, "a.md")
    case .pulled:
      try await sample.commitElsewhere(["a.md": shown + Self.incoming])
      _ = try await world.git("pull", "-q", "../other", "main")
    case .waitsOpen, .waits, .waitsChanged:
      try open(world)
      try await sample.receive(["a.md": shown + Self.incoming])
      if self != .waitsOpen { try world.remove(".#a.md") }
      if self == .waitsChanged { try sample.write(shown + Self.typed, "a.md") }
    case .replaced, .oldBuffer:
      try await sample.receive(["a.md": shown + Self.incoming])
      if self == .oldBuffer { try sample.write(shown + Self.typed, "a.md") }
    case .gone:
      try await sample.receive(["a.md": String?.none])
      try sample.write(shown + Self.typed, "a.md")
    case .movedBySync:
      try await sample.receive(["a.md": String?.none, "b.md": shown])
      try sample.write(shown + Self.typed, "a.md")
    case .open: try open(world)
    case .blank:
      var new = NewEntry()
      new.title = "Evening"
      _ = try await journal.entries.createDraft(new)
    case .conflictCopy:
      try sample.write(
        shown + Self.typed, "a.sync-conflict-20261101-101010-ABCDEFG.md")
    case .review: try await journal.locked { try await $0.integration.addReviews(["a.md"]) }
    case .stamp:
      try journal.state.queuedStamps.write([QueuedStamp(path: "a.md", moment: journal.now)])
    case .ignored:
      try world.write("hidden.md\n", ".gitignore")
      try sample.write(shown, "hidden.md")
    case .otherRepository:
      try await world.home.git("init", "-q", "inner", in: "j")
      try sample.write(shown, "inner/c.md")
    case .away:
      let folder = world.home.homePath + "/j/trip"
      for name in ["vault", "j/trip"] {
        try FileManager.default.createDirectory(
          atPath: world.home.homePath + "/" + name, withIntermediateDirectories: true)
      }
      let vault = world.home.homePath + "/vault"
      guard try await world.home.run("mount", ["--bind", vault, folder]).status == 0 else {
        throw NoMounts()
      }
      try sample.write(shown, "trip/a.md")
      _ = try await journal.save()
      try await world.home.run("umount", ["-l", folder])
    }
  }

  /// No disk may be mounted here.
  struct NoMounts: Error {}

  private func open(_ world: TestJournal) throws {
    try FileManager.default.createSymbolicLink(
      atPath: world.home.homePath + "/j/.#a.md",
      withDestinationPath: "mina@\(ProcessInfo.processInfo.hostName).\(getpid())")
  }
}
