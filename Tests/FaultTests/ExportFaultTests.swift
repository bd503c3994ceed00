import Foundation
import TestSupport
import Testing

/// An export that is killed, interrupted or out of disk space at any of its effects: the
/// destination contains the old content or the complete export, never a part of it.
@Suite struct ExportFaultTests {
  private static let formats = [
    "html", "site", "epub", "json", "jsonl", "md", "folder", "text", "jrnl", "dayone", "csv",
    "backup",
  ]

  @Test(arguments: formats)
  func `an export may be stopped at every step`(_ format: String) async throws {
    let walk = try await ExportWalk(format)
    if FaultJournal.isExhaustive { print("export \(format): \(walk.count) effects") }
    for fault in ["kill", "interrupt", "failing:ENOSPC", "fail:EIO"] {
      let story = "export \(format), \(fault)"
      for number in FaultJournal.effectNumbers(upTo: walk.count, sample: 2, story) {
        try await walk.run(fault, number)
      }
    }
  }
}

/// An export and its effects.
private struct ExportWalk {
  let format: String
  let world: FaultJournal
  /// The number of its effects.
  let count: Int
  private let arguments: [String]
  private let before: [String: Data]
  private let complete: [String: Data]
  private let journal: [String: Data]

  init(_ format: String) async throws {
    self.format = format
    let isFolder = format == "site" || format == "folder"
    arguments =
      ["export", "--format", format, "../out/x"] + (isFolder ? [] : ["--force"])
    world = try await FaultJournal { home in
      try await FaultScenario.makeThreeEntries(home)
      try home.write(
        FaultScenario.entry("attic", day: 4, "![](box.png)\n"), to: "w/j/2026/12/attic.md")
      try home.write("a picture", to: "w/j/2026/12/box.png")
      try await home.diary("save", in: "w/j")
      try home.write("As it was.", to: isFolder ? "w/out/y" : "w/out/x")
    }
    before = world.contents(of: ["w/out"])
    journal = world.contents(of: ["w/j"])
    let done = try await world.diary(arguments, in: "w/j")
    try #require(done.result.status == 0, "\(format): \(done.result)")
    complete = world.contents(of: ["w/out"])
    try #require(complete != before, "\(format): \(done.result)")
    count = done.effects.count
  }

  func run(_ fault: String, _ number: Int) async throws {
    try await world.reset()
    let tried = try await world.diary(arguments, in: "w/j", fault, at: number)
    guard tried.hasReached(number) else { return }
    let story = "export \(format), \(fault) at \(tried.effects[number - 1]): \(tried.result)"
    // A killed export leaves only hidden files; an export that ends by itself leaves none.
    let found = world.contents(of: ["w/out"])
    let shown = found.filter { !$0.key.hasPrefix("w/out/.x.") }
    #expect(shown == before || shown == complete, "\(story)")
    #expect(world.contents(of: ["w/j"]) == journal, "\(story)")
    switch fault {
    case "kill": break
    case "interrupt":
      // On a busy machine the signal is handled later, and may find a complete export.
      #expect([0, 130].contains(tried.result.status), "\(story)")
    default:
      #expect([0, 1].contains(tried.result.status), "\(story)")
      if tried.result.status == 1 { #expect(tried.result.errors.hasPrefix("diary: "), "\(story)") }
    }
    if fault != "kill" { #expect(found == shown, "\(story): \(found.keys)") }
    if tried.result.status == 0 { #expect(shown == complete, "\(story)") }
    guard shown == before else { return }
    let again = try await world.diary(arguments, in: "w/j").result
    #expect(again.status == 0, "\(story): \(again)")
    let late = world.contents(of: ["w/out"]).filter { !$0.key.hasPrefix("w/out/.x.") }
    #expect(late == complete, "\(story): run again")
  }
}
