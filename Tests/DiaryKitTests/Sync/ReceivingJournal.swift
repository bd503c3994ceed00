import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Synchronization
import TestSupport

@testable import DiaryKit

/// A journal that receives the commits of another device, without a network.
struct ReceivingJournal {
  let world: TestJournal
  var journal: Journal
  let clock = OldBufferMergeTests.Clock()
  /// What tells the words of one state from those of another.
  var tag = ""
  /// The folders at which a disk is mounted.
  var mounts: [String] = []
  /// The files that a sync has replaced and not discarded yet.
  var displaced: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])] = []

  init(_ files: [String: String]) async throws {
    try await self.init(TestJournal(files))
    try await world.home.git("clone", "-q", "j", "other", in: "")
    try await world.home.git("remote", "set-url", "origin", "../j", in: "other")
  }

  /// Opens a journal that has the other device's clone beside it.
  init(_ world: TestJournal) throws {
    self.world = world
    journal = try world.journal()
    try reopen()
  }

  /// Opens the journal again, with the settings that the home has now.
  mutating func reopen() throws {
    let clock = clock
    journal = try world.journal(now: { clock.seconds.withLock { $0 } })
  }

  /// Writes and commits files on the other device; `nil` removes one.
  func commitElsewhere(_ files: [String: String?]) async throws {
    try await world.home.git("pull", "-q", "--no-rebase", "--no-edit", in: "other")
    for (name, text) in files {
      if let text {
        try world.home.write(text, to: "other/" + name)
      } else {
        try FileManager.default.removeItem(atPath: world.home.homePath + "/other/" + name)
      }
    }
    try await world.home.git("add", "-A", in: "other")
    try await world.home.git("commit", "-qm", "elsewhere", in: "other")
  }

  /// Receives files of the other device, as a sync does.
  func receive(_ files: [String: String?]) async throws {
    for aside in try await receiveWithoutDiscarding(files) { aside.file.discard() }
  }

  /// Receives files as a sync does before it discards the files that it replaced.
  func receiveWithoutDiscarding(
    _ files: [String: String?]
  ) async throws -> [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])] {
    try await commitElsewhere(files)
    return try await integrate()
  }

  /// Merges the other device's branch as a sync does.
  func integrate() async throws -> [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])] {
    _ = try await world.git("fetch", "-q", "../other", "main")
    let tip = CommitID(
      try await world.git("rev-parse", "FETCH_HEAD").trimmingCharacters(in: .newlines))
    let target = SyncTarget(
      remote: SyncRemote(name: "other", url: ""), branch: "main", remoteRef: "refs/heads/main",
      trackingRef: "refs/remotes/other/main")
    let journal = journal
    return try await journal.locked {
      try await $0.integration.integrateRemote(tip, target).checkout.displaced
    }
  }

  func write(_ text: String, _ name: String) throws { try world.write(text, name) }
  func text(_ name: String) throws -> String { try world.home.read("j/" + name) }

  func move(_ name: String, to target: String) throws {
    try FileManager.default.moveItem(
      atPath: world.home.homePath + "/j/" + name, toPath: world.home.homePath + "/j/" + target)
  }

  /// The names of the files in the journal's top folder.
  func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: world.home.homePath + "/j"))
  }
}
