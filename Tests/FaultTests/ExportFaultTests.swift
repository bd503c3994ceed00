import Foundation
import TestSupport
import Testing

/// An export that is killed, interrupted or out of room at any of its effects: what stood at its place
/// stands there still, or the whole export does; never a part of it.
@Suite struct ExportFaultTests {
  private static let formats = [
    "html", "site", "epub", "json", "jsonl", "md", "folder", "text", "jrnl", "dayone", "csv",
    "backup",
  ]

  @Test(arguments: formats)
  func `an export may end at every step`(_ format: String) async throws {
    let walk = try await ExportWalk(format)
    if FaultWorld.isWhole { print("export \(format): \(walk.count) effects") }
    for fault in ["kill", "interrupt", "failing:ENOSPC", "fail:EIO"] {
      for number in FaultWorld.numbers(upTo: walk.count, sample: 2) {
        try await walk.run(fault, number)
      }
    }
  }
}

/// The way of an export over its effects.
private struct ExportWalk {
  let format: String
  let world: FaultWorld
  /// How many effects it has.
  let count: Int
  private let words: [String]
  private let before: [String: Data]
  private let whole: [String: Data]
  private let journal: [String: Data]

  init(_ format: String) async throws {
    self.format = format
    let isFolder = format == "site" || format == "folder"
    words =
      ["export", "--format", format, "../out/x"] + (isFolder ? [] : ["--force"])
    world = try await FaultWorld { home in
      try await Scene.begun(home)
      try home.write(
        Scene.entry("attic", day: 4, "![](box.png)\n"), to: "w/j/2026/12/attic.md")
      try home.write("a picture", to: "w/j/2026/12/box.png")
      try await home.diary("save", in: "w/j")
      try home.write("As it was.", to: isFolder ? "w/out/y" : "w/out/x")
    }
    before = world.texts(of: ["w/out"])
    journal = world.texts(of: ["w/j"])
    let done = try await world.diary(words, in: "w/j")
    try #require(done.result.status == 0, "\(format): \(done.result)")
    whole = world.texts(of: ["w/out"])
    try #require(whole != before, "\(format): \(done.result)")
    count = done.effects.count
  }

  func run(_ fault: String, _ number: Int) async throws {
    try await world.putBack()
    let tried = try await world.diary(words, in: "w/j", fault, at: number)
    guard tried.reached(number) else { return }
    let story = "export \(format), \(fault) at \(tried.effects[number - 1]): \(tried.result)"
    // What a killed program leaves has a hidden name; one that ends by itself leaves nothing.
    let found = world.texts(of: ["w/out"])
    let shown = found.filter { !$0.key.hasPrefix("w/out/.x.") }
    #expect(shown == before || shown == whole, "\(story)")
    #expect(world.texts(of: ["w/j"]) == journal, "\(story)")
    switch fault {
    case "kill": break
    case "interrupt":
      #expect(
        tried.result.status == 130 && shown == before || tried.result.status == 0, "\(story)")
    default:
      #expect([0, 1].contains(tried.result.status), "\(story)")
      if tried.result.status == 1 { #expect(tried.result.errors.hasPrefix("diary: "), "\(story)") }
    }
    if fault != "kill" { #expect(found == shown, "\(story): \(found.keys)") }
    if tried.result.status == 0 { #expect(shown == whole, "\(story)") }
    guard shown == before else { return }
    let again = try await world.diary(words, in: "w/j").result
    #expect(again.status == 0, "\(story): \(again)")
    let late = world.texts(of: ["w/out"]).filter { !$0.key.hasPrefix("w/out/.x.") }
    #expect(late == whole, "\(story): run again")
  }
}
