import Foundation
import TestSupport
import Testing

/// The moving picture of the README: two terminals, recorded key by key. `.ci/take-picture` takes it anew.
@Suite(.serialized) struct MovingPictureTests {
  private static let file = Project.root.appendingPathComponent("docs/two-devices.svg")
  private static let entry = "2026/11/*market.md"

  @Test func `the moving picture shows what the program prints`() async throws {
    let home = try Sandbox()
    home.set("LANG", "en_US.UTF-8")
    for pager in ["DIARY_PAGER", "GIT_PAGER"] { home.set(pager, "cat") }
    // 2026-11-21, 21:30:00 in Seoul.
    try await home.stopClock(at: 1_795_264_200)
    home.setAutosave(settle: "200ms", sitting: "1s")
    _ = try home.script("nano", "exec /usr/bin/nano --ignorercfiles --nohelp --minibar \"$@\"\n")
    let setUp = try await home.run(
      "sh",
      [
        "-ec",
        """
        git init --quiet --bare stick.git
        mkdir laptop desk
        cp .gitconfig laptop; cp .gitconfig desk
        HOME=$PWD/desk
        diary init --remote $PWD/stick.git --yes
        diary new "The market" -m "Leeks and quinces, bought at noon."
        diary sync
        HOME=$PWD/laptop
        diary clone $PWD/stick.git
        """,
      ])
    try #require(setUp.status == 0, "\(setUp)")

    var picture = Recording(titles: ["laptop", "desk"], columns: 80, lines: 11)
    for name in picture.titles {
      picture.terminals.append(
        try await Terminal(
          home, in: name + "/diary", lines: 11, name: name + ".tmux",
          ["PS1": name + "$ ", "HOME": home.homePath + "/" + name]))
    }
    try await picture.pause(500)
    let recorded = try await recordStory(picture, home)
    for terminal in picture.terminals { await terminal.close() }

    let drawn = recorded.svg
    #expect(drawn.utf8.count < 300_000, "\(drawn.utf8.count) bytes")
    #expect((20...32).contains(recorded.seconds), "\(recorded.seconds) s")
    if ProcessInfo.processInfo.environment["DIARY_RECORD"] == "picture" {
      try drawn.write(to: Self.file, atomically: true, encoding: .utf8)
    }
    let kept = try String(contentsOf: Self.file, encoding: .utf8)
    #expect(drawn == kept, "\(recorded.texts)")
  }

  private func recordStory(_ picture: Recording, _ home: Sandbox) async throws -> Recording {
    let (laptop, desk) = (0, 1)
    return try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["watch", "-v"], in: "laptop/diary"
    ) { (watcher: BackgroundProcess) async throws -> Recording in
      guard await watcher.prints("watching") else {
        throw ProgramFailed(message: "the watcher does not start: \(watcher.output)")
      }
      var picture = picture
      // A watcher saves what any editor writes.
      try await picture.type("nano \(Self.entry)", in: laptop)
      try await picture.press("Enter", in: laptop) { $0.contains("bought at noon.") }
      try await picture.press("C-End", in: laptop, pause: 100)
      try await picture.press("BSpace", in: laptop, pause: 200)
      try await picture.type(" It rained on the way home.", in: laptop)
      try await picture.press("C-s", in: laptop) { !$0.contains("market.md *") }
      try await picture.press("C-x", in: laptop, pause: 400) { $0.hasSuffix("laptop$") }
      #expect(
        try await Sandbox.holds {
          try await home.git("log", "-1", "--format=%s", in: "laptop/diary").hasPrefix("Edit")
        })
      try await picture.run("git log -1 --format=%s", in: laptop)
      // Another device changes the same sentence, without a network.
      try await picture.run("sed -i 's/noon/dawn/' \(Self.entry)", in: desk)
      try await picture.run("diary sync", in: laptop)
      try await picture.run("diary sync", in: desk)
      try await picture.run("diary show 1", in: desk)
      try await picture.run("diary delete 1 --yes --quiet", in: laptop)
      try await picture.run("diary undo --yes --quiet", in: laptop)
      return picture
    }
  }
}
