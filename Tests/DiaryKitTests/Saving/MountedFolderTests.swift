import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// A folder of the journal whose files are all gone: deleted, or on a disk that is not mounted.
@Suite(.serialized) struct MountedFolderTests {
  private static let names = ["trip/one.md", "trip/two.md"]

  private let world: TestJournal
  private var trip: String { world.home.homePath + "/j/trip" }

  /// Makes a journal with an entry beside the folder `trip`.
  init() async throws { world = try await TestJournal(["a.md": "At home.\n"]) }

  @Test func `a clone knows its folders before its first save`() async throws {
    try writeTrip()
    _ = try await world.journal().save()
    let home = world.home
    let environment = try world.journal().environment
    _ = try await JournalSetup.clone(home.homePath + "/j", to: home.homePath + "/copy", environment)
    try FileManager.default.moveItem(
      atPath: home.homePath + "/copy/trip", toPath: home.homePath + "/trip-away")
    mkdir(home.homePath + "/copy/trip", 0o755)
    try world.write("Words of another device.\n", "trip/three.md")
    _ = try await world.journal().save()
    let copy = try Journal(root: home.homePath + "/copy", environment: environment)
    let synced = try await copy.remote.sync()
    #expect(synced.waitingCheckouts.map(\.path) == ["trip/three.md"])
    #expect(home.files(in: "copy/trip") == [])
  }

  @Test func `what is not committed when its folder goes away is merged with a sync`() async throws
  {
    let device = try await ReceivingJournal(["trip/one.md": "Bread.\n", "a.md": "At home.\n"])
    try device.write("Bread.\n\nAnd wine.\n", "trip/one.md")
    chmod(device.world.home.homePath + "/j/trip/one.md", 0o755)
    try await device.journal.savePaths("trip/one.md")
    try device.move("trip", to: "../trip-away")
    mkdir(device.world.home.homePath + "/j/trip", 0o755)
    try await device.receive(["trip/one.md": "Today.\n\nBread.\n"])
    #expect(try await device.world.git("ls-tree", "HEAD", "trip/one.md").hasPrefix("100755 "))
    rmdir(device.world.home.homePath + "/j/trip")
    try device.move("../trip-away", to: "trip")
    _ = try await device.journal.save()
    #expect(try device.text("trip/one.md") == "Today.\n\nBread.\n\nAnd wine.\n")
    #expect(try await device.world.git("show", "HEAD:trip/one.md") == device.text("trip/one.md"))
  }

  private func writeTrip() throws {
    for name in Self.names { try world.write("Words of \(name).\n", name) }
  }

  /// Saves two entries in `trip`, which is a disk of its own, and runs `body` when it is unmounted.
  /// `remount` mounts it again, with the same files.
  private func withUnmountedTrip(
    _ body: (_ remount: () async throws -> Void) async throws -> Void
  ) async throws {
    let vault = world.home.homePath + "/vault"
    try FileManager.default.createDirectory(atPath: trip, withIntermediateDirectories: true)
    // A bind mount of one file system has the device of the folder around it.
    try FileManager.default.createDirectory(atPath: vault, withIntermediateDirectories: true)
    func mount() async throws -> Bool {
      try await world.home.run("mount", ["--bind", vault, trip]).status == 0
    }
    guard try await mount() else { try Test.cancel("no disk may be mounted here") }
    do {
      try writeTrip()
      #expect(try await world.journal().save().saved.contains("trip/two.md"))
      try await unmount()
      #expect(try FileManager.default.contentsOfDirectory(atPath: trip) == [])
      try await body { () async throws -> Void in
        let isMounted = try await mount()
        #expect(isMounted)
      }
    } catch {
      try? await unmount()
      throw error
    }
    try? await unmount()
  }

  private func unmount() async throws { try await world.home.run("umount", ["-l", trip]) }

  private func savedNames() async throws -> String {
    try await world.git("ls-tree", "-r", "--name-only", "HEAD", "trip")
  }

  @Test func `entries of a folder that is not mounted are not deleted`() async throws {
    try await withUnmountedTrip { remount in
      try world.write("At home, and out.\n", "a.md")
      for atStart in [true, false] {
        let journal = try world.journal()
        let found = try await journal.locked {
          try await $0.saver.collectChanges(
            ["trip/one.md", "trip/two.md", "a.md"], atStart: atStart)
        }
        #expect(found.missing == ["trip/one.md", "trip/two.md"])
        #expect(found.changes.map(\.path) == ["a.md"])
        #expect(found.skipped.map(\.path) == ["trip"])
      }
      let outcome = try await world.journal().save()
      #expect(outcome.saved == ["a.md"])
      #expect(outcome.skipped.map(\.path) == ["trip"])
      #expect(try await world.journal().status().skipped.map(\.path) == ["trip"])
      #expect(try await savedNames() == "trip/one.md\ntrip/two.md\n")
      try await remount()
      #expect(try await world.journal().save().missing == [])
    }
  }

  @Test func `a deletion elsewhere is saved while a folder is not mounted`() async throws {
    try world.write("Bread.\n", "b.md")
    try await withUnmountedTrip { _ in
      try world.remove("b.md")
      let outcome = try await world.journal().save()
      #expect(outcome.deleted == ["b.md"] && outcome.missing.count == 2)
    }
  }

  @Test func `an editor's new file in the mount point makes no deletions`() async throws {
    try await withUnmountedTrip { _ in
      try world.write("Written while it was away.\n", "trip/one.md")
      let outcome = try await world.journal().save()
      #expect(outcome.saved == ["trip/one.md"] && outcome.missing == ["trip/two.md"])
    }
  }

  @Test func `nothing is created in a mount point`() async throws {
    try await withUnmountedTrip { _ in
      let journal = try world.journal()
      await #expect(throws: (any Error).self) { _ = try await journal.history.restoreMissing() }
      #expect(throws: FileError(.create, "trip/new.md", .away(folder: "trip"))) {
        try journal.folder.create("trip/new.md", Array("No.\n".utf8))
      }
      #expect(throws: FileError(.create, "trip/2026/new.md", .away(folder: "trip"))) {
        try journal.folder.create("trip/2026/new.md", Array("No.\n".utf8))
      }
      #expect(throws: FileError(.move, "trip/a.md", .away(folder: "trip"))) {
        try journal.folder.move("a.md", to: "trip/a.md")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: trip) == [])
    }
  }

  @Test func `a sync's changes wait until the folder is mounted`() async throws {
    try await withUnmountedTrip { remount in
      let journal = try world.journal()
      let old = try await journal.repository.savedBlobs(at: ["trip/one.md"])["trip/one.md"]
      try journal.state.checkouts.write([
        CheckoutRecord(path: "trip/one.md", disk: old, at: journal.now)
      ])
      try await remount()
      try world.write("Words of another device.\n", "trip/one.md")
      _ = try await world.git("commit", "-qam", "another device")
      try world.write("Words of trip/one.md.\n", "trip/one.md")
      try await unmount()
      let waiting = try await journal.locked { try await $0.integration.applyCheckouts() }
      #expect(waiting.waiting.map(\.path) == ["trip/one.md"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: trip) == [])
      try await remount()
      let done = try await journal.locked { try await $0.integration.applyCheckouts() }
      for displaced in done.displaced { displaced.file.discard() }
      #expect(try world.home.read("j/trip/one.md") == "Words of another device.\n")
    }
  }

  @Test func `confirmed deletions end the wait`() async throws {
    try await withUnmountedTrip { _ in
      let outcome = try await world.journal().save(deletions: true)
      #expect(outcome.deleted == ["trip/one.md", "trip/two.md"])
      #expect(try await savedNames() == "")
      try world.journal().folder.create("trip/new.md", Array("Here.\n".utf8))
    }
  }

  // MARK: Folders without a mount

  @Test func `files deleted in a file manager need no question`() async throws {
    try writeTrip()
    _ = try await world.journal().save()
    for name in Self.names { try world.remove(name) }
    let outcome = try await world.journal().save()
    #expect(outcome.deleted == ["trip/one.md", "trip/two.md"] && outcome.missing == [])
    // The folder may be made anew.
    try world.remove("trip")
    try FileManager.default.createDirectory(atPath: trip, withIntermediateDirectories: false)
    try world.journal().folder.create("trip/new.md", Array("Here.\n".utf8))
  }

  @Test func `an empty folder with another inode is asked about`() async throws {
    try writeTrip()
    _ = try await world.journal().save()
    try FileManager.default.moveItem(atPath: trip, toPath: trip + "-away")
    try FileManager.default.createDirectory(atPath: trip, withIntermediateDirectories: false)
    try FileManager.default.moveItem(atPath: trip + "-away", toPath: world.home.homePath + "/away")
    let outcome = try await world.journal().save()
    #expect(outcome.deleted == [] && outcome.missing == ["trip/one.md", "trip/two.md"])
    #expect(throws: FileError(.create, "trip/new.md", .away(folder: "trip"))) {
      try world.journal().folder.create("trip/new.md", Array("No.\n".utf8))
    }
  }

  @Test func `a replaced folder with files is the folder`() async throws {
    try writeTrip()
    _ = try await world.journal().save()
    try FileManager.default.copyItem(atPath: trip, toPath: world.home.homePath + "/copy")
    try world.remove("trip")
    try FileManager.default.moveItem(atPath: world.home.homePath + "/copy", toPath: trip)
    try await world.journal().locked { try await $0.saver.refreshKnownFolders() }
    for name in Self.names { try world.remove(name) }
    #expect(try await world.journal().save().deleted.count == 2)
  }

  @Test func `without a record, a folder whose files are all gone is asked about`() async throws {
    try writeTrip()
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "by hand")
    try world.remove(Self.names[0])
    #expect(try await world.journal().save().deleted == ["trip/one.md"])
    try world.remove(".git/diary/folders.json")
    try world.remove(Self.names[1])
    #expect(try await world.journal().save().missing == ["trip/two.md"])
    #expect(try await world.journal().history.restoreMissing().paths == ["trip/two.md"])
  }

  @Test func `undo restores nothing into a mount point`() async throws {
    try await withUnmountedTrip { remount in
      try await remount()
      let entry = try await world.journal().history.resolveIncludingDeleted("trip/one.md")
      _ = try await world.journal().entries.delete([entry.path])
      try await unmount()
      let plan = try await world.journal().history.planUndo()
      #expect(plan.steps == [] && plan.skipped.map(\.path) == ["trip/one.md"])
    }
  }
}
