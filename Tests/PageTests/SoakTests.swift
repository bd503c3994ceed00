import Foundation
import TestSupport
import Testing
import WebDriver

/// Two tabs, an editor and another device edit one entry at random. No word reported as saved may
/// be missing at the end. `DIARY_PAGE_SOAK` sets the seconds (25).
@Suite(.serialized) struct SoakTests {
  private let seconds =
    ProcessInfo.processInfo.environment["DIARY_PAGE_SOAK"].flatMap { Double($0) } ?? 25

  /// Types a word at the end of a random line.
  private func type(_ word: String, at place: Double, in world: PageSession) async throws {
    try await world.browser.runScript(
      """
      const body = document.querySelector('#body');
      body.focus();
      const lines = body.value.split('\\n');
      const line = Math.floor(arguments[0] * lines.length);
      const end = lines.slice(0, line + 1).join('\\n').length;
      body.setSelectionRange(end, end);
      """, .number(place))
    try await world.browser.press(" ")
    for letter in word { try await world.browser.press(String(letter)) }
  }

  private func isSaved(_ world: PageSession) async -> Bool {
    await world.browser.shows(
      "['saved', 'merged', 'clean'].includes(document.querySelector('#status').dataset.state)",
      within: 60)
  }

  @Test func `two tabs, an editor and another device lose no words`() async throws {
    let random = SeededGenerator()
    let words = try await PageSession.visit { world in
      let (home, browser) = (world.home, world.browser)
      var dice = random
      try await home.git("init", "-q", "--bare", "remote.git", in: "")
      for (words, folder) in [
        (["init", "--yes", "--remote", "../remote.git"], "j"), (["sync"], "j"),
        (["clone", "remote.git", "k"], ""),
      ] {
        let done = try await home.run(Sandbox.programs + "/diary", words, in: folder)
        try #require(done.status == 0, "\(words): \(done.errors)")
      }
      let file = try #require(world.file(containing: "Leeks"))
      try await world.openEntry("Soup")
      var tabs = [try await browser.currentTab]
      let address = try await browser.address
      tabs.append(try await browser.openTab())
      try await browser.open(address)
      try await world.edit()
      var expected: [String] = []
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {
        let word = "w\(expected.count)x"
        switch Int.random(in: 0..<7, using: &dice) {
        case 0..<4:
          try await browser.switchTab(to: tabs[Int.random(in: 0..<2, using: &dice)])
          try await type(word, at: .random(in: 0..<1, using: &dice), in: world)
          // Wait for only half of the words, so that the other half is saved while others write.
          if Bool.random(using: &dice) {
            #expect(await isSaved(world), "\(random): \(word) is not saved")
          }
        case 4:
          try await home.run("sh", ["-c", "printf '\\n\(word)\\n' >> '\(file)'"], in: "j")
        case 5:
          try await home.run("sh", ["-c", "printf '\\n\(word)\\n' >> '\(file)'"], in: "k")
          _ = try await home.diary("sync", in: "k")
        default:
          // The sync may be refused if a page has just written; a later one fetches the changes.
          _ = try await home.diary("sync", in: "j")
          continue
        }
        expected.append(word)
      }
      for tab in tabs {
        try await browser.switchTab(to: tab)
        #expect(await isSaved(world), "\(random)")
      }
      for _ in 1...2 {
        for device in ["k", "j"] {
          let synced = try await home.diary("sync", in: device)
          #expect(synced.status == 0, "\(random): \(synced.errors)")
        }
      }
      // If both tabs type at one position, one word may be split by another.
      func isThere(_ word: String, in text: String) -> Bool {
        text.contains(word)
          || word.indices.dropFirst().contains { place in
            text.range(
              of: "\(word[..<place])( w[0-9]+x)+\(word[place...])", options: .regularExpression)
              != nil
          }
      }
      func missing() throws -> [String] {
        let text = try home.read("j/" + file)
        return expected.filter { !isThere($0, in: text) }
      }
      // A change from a sync is checked out only after the page's last save has settled.
      let isWhole = try await Sandbox.holds { try missing().isEmpty }
      let (lost, text) = (try missing(), try home.read("j/" + file))
      #expect(isWhole, "\(random): missing \(lost) in\n\(text)")
      return expected.count
    }
    #expect(words > 3)
    print("soak: \(words) words, \(random)")
  }
}
