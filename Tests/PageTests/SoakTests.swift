import Foundation
import TestSupport
import Testing
import WebDriver

/// Two tabs, an editor and another device edit one entry at random, and the tabs add pictures. No word
/// reported as saved, and no picture, may be missing at the end. `DIARY_PAGE_SOAK` sets the seconds
/// (25).
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

  /// Adds a picture that no other one equals, and waits until it is uploaded.
  private func addPicture(_ name: String, _ number: Int, in world: PageSession) async throws -> Bool
  {
    try await world.browser.runAsyncScript(
      """
      const canvas = document.createElement('canvas');
      canvas.getContext('2d').fillRect(args[1] % 300, 0, 1 + args[1] / 300, 150);
      const picture = await new Promise(done => canvas.toBlob(done, 'image/png'));
      const data = new DataTransfer();
      data.items.add(new File([picture], args[0], {type: 'image/png'}));
      const input = document.querySelector('#picture');
      input.files = data.files;
      input.dispatchEvent(new Event('change'));
      """, .text(name), .number(Double(number)))
    return await world.browser.shows(
      "document.querySelector('#body').value.includes('\(name)') && !document.querySelector('#uploads li')",
      within: 60)
  }

  private func isSaved(_ world: PageSession) async -> Bool {
    await world.browser.shows(
      "['saved', 'merged', 'clean'].includes(document.querySelector('#status').dataset.state)",
      within: 60)
  }

  @Test func `two tabs, an editor and another device lose no words`() async throws {
    let random = SeededGenerator()
    let (words, pictures) = try await PageSession.visit { world in
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
      var pictures: [String] = []
      let end = ContinuousClock.now + .seconds(seconds)
      while ContinuousClock.now < end {
        let word = "w\(expected.count)x"
        switch Int.random(in: 0..<8, using: &dice) {
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
          try await browser.switchTab(to: tabs[Int.random(in: 0..<2, using: &dice)])
          let name = "p\(pictures.count).png"
          #expect(try await addPicture(name, pictures.count, in: world), "\(random): \(name)")
          pictures.append(name)
          continue
        case 6:
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
          + pictures.filter { !text.contains("](\($0))") }
      }
      // A change from a sync is checked out only after the page's last save has settled.
      let isWhole = try await Sandbox.holds { try missing().isEmpty }
      let (lost, text) = (try missing(), try home.read("j/" + file))
      #expect(isWhole, "\(random): missing \(lost) in\n\(text)")
      let folder = (file as NSString).deletingLastPathComponent
      for device in ["j", "k"] {
        let sums = try await home.run("sha256sum", pictures, in: "\(device)/\(folder)")
        let different = Set(sums.output.split(separator: "\n").map { $0.prefix(64) })
        #expect(sums.status == 0 && different.count == pictures.count, "\(random): \(sums)")
      }
      return (expected.count, pictures.count)
    }
    #expect(words > 3)
    print("soak: \(words) words, \(pictures) pictures, \(random)")
  }
}
