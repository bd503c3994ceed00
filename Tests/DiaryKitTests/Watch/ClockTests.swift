import DiaryCore
import Foundation
import GitHistory
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// A clock that is set back or forward by the user, an empty battery or a time server.
@Suite struct ClockTests {
  @Test func `when the clock jumps texts are saved and listed in the order of writing`()
    async throws
  {
    let (begin, year) = (1_795_262_640, 365 * 86_400)
    let world = try await TestJournal(["a.md": "one\n", "b.md": "one\n"])
    let clock = Mutex(begin)
    let journal = try world.journal(now: { clock.withLock { $0 } })
    var texts = ["one\n"]
    for jump in [0, -1, 10, 0, -1, 10] {
      clock.withLock { $0 = begin + jump * year }
      // A save alone, then one that ends the sitting.
      texts.append("A save, number \(texts.count).\n")
      try world.write(texts[texts.count - 1], "a.md")
      #expect(try await journal.savePaths("a.md").saved == ["a.md"])
      texts.append("A sitting, number \(texts.count).\n")
      try world.write(texts[texts.count - 1], "a.md")
      try world.write(texts[texts.count - 1], "b.md")
      let outcome = try await journal.save()
      #expect(outcome.commit?.paths == ["a.md", "b.md"] && outcome.deferReason == nil, "\(jump)")
      #expect(try await journal.save().commit == nil, "\(jump)")
      #expect(try await journal.repository.pending().isEmpty, "\(jump)")
      #expect(try await world.git("status", "--porcelain") == "", "\(jump)")
      #expect(try await journal.catalog.verifyIndex() == [], "\(jump)")
    }
    let past = try await journal.history.history(of: "a.md")
    #expect(past.versions.count == texts.count)
    for (ago, text) in texts.reversed().enumerated() {
      let found = try await journal.history.text(of: "a.md", at: "\(ago)")
      #expect(String(decoding: found.bytes, as: UTF8.self) == text, "\(ago) ago")
    }
  }
}
