import DiaryCore
import EntryFiles
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Two states of one path at once, three commands in them, and one kill: all drawn at random.
/// `DIARY_STATE_PAIRS` is the number of rounds.
@Suite(.serialized) struct StatePairTests {
  @Test func `no word is lost where two states meet`() async throws {
    let rounds = ProcessInfo.processInfo.environment["DIARY_STATE_PAIRS"].flatMap(Int.init) ?? 20
    var random = SeededGenerator()
    try await StatePair.play(rounds, &random)
  }
}

/// Two rounds of that, others for each seed.
@Suite(.serialized) struct StatePairSampleTests {
  @Test func `an import keeps what a sync has brought into the entry`() async throws {
    var sample = try await SampleBase().copy()
    for (state, tag) in [(SampleState.pulled, ""), (.replaced, " too")] {
      sample.tag = tag
      try await state.make(in: &sample)
    }
    guard case .done = try await SampleCommand.import.run(at: "a.md", in: sample) else {
      Issue.record("not imported")
      return
    }
    let imported = try sample.text("a.md")
    for line in ["From the source.", "Mina told me that", "Mina told me too that"] {
      #expect(imported.contains(line))
    }
    _ = try await sample.journal.save()
    #expect(try sample.text("a.md") == imported)
    let branch = try await sample.world.home.run("git", ["show", "HEAD:a.md"], in: "j").output
    #expect(branch == imported)
  }

  @Test func `no word is lost in two rounds`() async throws {
    var random = SeededGenerator()
    try await StatePair.play(2, &random)
  }
}

private struct StatePair {
  /// The states that an `a.md` in another state can get into. The others need another path, or a
  /// process beside it.
  static let states = SampleState.allCases.filter { state in
    state.path == "a.md"
      && ![
        .clean, .tooLarge, .missing, .changing, .unreadable, .full, .suspended, .purged, .editing,
      ].contains(state)
  }
  static let commands: [SampleCommand] = [
    .add, .attach, .edit, .rename, .delete, .restore, .undo, .star, .import, .fix, .config, .page,
    .save, .watch, .stamp, .sync, .syncIn,
  ]
  /// What is killed.
  static let killed = [
    ["save"], ["add", "--to", "a.md", "Killed while I wrote."], ["rename", "a.md", "Dusk"],
    ["delete", "--yes", "a.md"], ["star", "a.md"], ["restore", "a.md", "--at", "1"],
    ["undo", "--yes"], ["check", "--fix"], ["import", "../notes"],
  ]

  static func play(_ rounds: Int, _ random: inout SeededGenerator) async throws {
    let base = try await SampleBase()
    var played = 0
    for _ in 0..<rounds * 3 where played < rounds {
      let (first, second) = (pick(states, &random), pick(states, &random))
      var commands = (0..<3).map { _ in pick(Self.commands, &random) }
      let killed = pick(Self.killed, &random)
      let effect = Int.random(in: 1...90, using: &random)
      let turn = Int.random(in: 0..<3, using: &random)
      commands.remove(at: turn)
      var sample = try await base.copy()
      guard (try? await first.make(in: &sample)) != nil else { continue }
      sample.tag = " too"
      // Not all of them can meet.
      guard first != second, (try? await second.make(in: &sample)) != nil else { continue }
      played += 1
      let story =
        "\(random), round \(played): \(first.rawValue), \(second.rawValue);"
        + " \(commands.map(\.rawValue)), \(killed) killed at \(effect) in turn \(turn)"
      try await StatePair(sample: sample, story: story)
        .check(commands, killed: killed, at: effect, turn: turn, path: second.path)
    }
    #expect(played == rounds, "\(random)")
  }

  private static func pick<Element>(
    _ elements: [Element], _ random: inout SeededGenerator
  ) -> Element {
    elements[Int.random(in: elements.indices, using: &random)]
  }

  let sample: ReceivingJournal
  let story: String

  func check(
    _ commands: [SampleCommand], killed: [String], at effect: Int, turn: Int, path: EntryPath
  ) async throws {
    var known = try lines()
    var waiting = commands[...]
    for number in 0..<3 {
      if number == turn {
        try await kill(killed, at: effect)
      } else if let command = waiting.popFirst() {
        let outcome = try await command.run(at: path, in: sample)
        if case .done = outcome, let words = command.words { known.insert(words) }
      }
      known.formUnion(try lines())
    }
    for aside in sample.displaced { aside.file.discard() }
    let journal = sample.journal
    _ = try await journal.save()
    let again = try await journal.save()
    #expect(again.saved == [] && again.commit == nil, "\(story): \(again)")
    let files = try sample.texts().values.joined(separator: "\n")
    let objects = try await sample.world.home.run(
      "sh", ["-c", "git rev-list --objects --no-object-names --all | git cat-file --batch"],
      in: "j")
    #expect(objects.status == 0, "\(story): \(objects.errors)")
    let all = files + objects.output
    for line in known.sorted() { #expect(all.contains(line), "\(story): \"\(line)\" is lost") }
    try await checkStatus()
    let takesAway: Set<SampleCommand> = [.delete, .restore, .undo]
    guard takesAway.isDisjoint(with: commands), !["delete", "restore", "undo"].contains(killed[0])
    else { return }
    let branches = try await sample.world.home.run(
      "sh", ["-c", "git grep -h '' $(git for-each-ref --format='%(objectname)' refs/heads)"],
      in: "j"
    ).output
    for line in known.sorted() where line.contains("Mina told me") || line.contains("From afar") {
      #expect((files + branches).contains(line), "\(story): \"\(line)\" is gone")
    }
  }

  /// The lines of all files.
  private func lines() throws -> Set<String> {
    Set(
      try sample.texts().values.flatMap { text in
        text.split(whereSeparator: \.isNewline).map(String.init)
      })
  }

  private func kill(_ command: [String], at effect: Int) async throws {
    let home = sample.world.home
    try await home.run(
      Sandbox.programs + "/FaultTracer",
      [home.homePath + "/j", home.homePath + "/effects", "\(effect)", "kill"]
        + [Sandbox.programs + "/diary"] + command, in: "j")
  }

  /// Where `status` has nothing to tell, git has nothing either.
  private func checkStatus() async throws {
    let status = try await sample.journal.status()
    let named = [
      status.unsaved, status.pending, status.stagedByUser, status.missing,
      status.toUpdate.map(\.path), status.skipped.map(\.path),
    ].flatMap(\.self)
    guard named.isEmpty, status.deferReason == nil else { return }
    let changes = try await sample.world.git("status", "--porcelain").split(separator: "\n")
    #expect(changes.filter { !$0.hasPrefix("??") } == [], "\(story): \(status)")
  }
}
