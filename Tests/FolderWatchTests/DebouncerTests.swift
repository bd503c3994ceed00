import TestSupport
import DiaryCore
import FolderWatch
import Testing

@Suite struct DebouncerTests {
  @Test func `a file is due once it has been quiet`() {
    var settler = Debouncer(settle: 2, longest: 30)
    settler.recordWrite("e.md", at: 10)
    settler.recordWrite("e.md", at: 11)
    #expect(settler.nextDeadline() == 13)
    #expect(settler.removeSettled(at: 12) == [])
    #expect(settler.removeSettled(at: 13) == ["e.md"])
    #expect(settler.isEmpty)
    #expect(settler.nextDeadline() == nil)
  }

  @Test func `a file that is written without pause is due after the longest time`() {
    var settler = Debouncer(settle: 2, longest: 30)
    var due: [Int64] = []
    for now in Int64(0)...65 {
      settler.recordWrite("e.md", at: now)
      if !settler.removeSettled(at: now).isEmpty { due.append(now) }
    }
    #expect(due == [30, 61])
  }

  @Test func `a file that stays open is due at growing intervals`() {
    var settler = Debouncer(settle: 2, longest: 30)
    settler.recordWrite("e.md", at: 0)
    var now: Int64 = 2
    var pauses: [Int64] = []
    for _ in 0..<7 {
      #expect(settler.removeSettled(at: now) == ["e.md"])
      settler.postpone("e.md", at: now)
      let next = settler.nextDeadline() ?? 0
      pauses.append(next - now)
      now = next
    }
    #expect(pauses == [2, 4, 8, 16, 30, 30, 30])
    settler.recordWrite("e.md", at: now - 1)
    #expect(settler.nextDeadline() == now + 1)
  }

  @Test func `a recheck happens at its time unless the file is written before`() {
    var settler = Debouncer(settle: 2, longest: 30)
    settler.recheck("empty.md", at: 40, now: 10)
    #expect(settler.removeSettled(at: 39) == [])
    #expect(settler.removeSettled(at: 40) == ["empty.md"])
    settler.recheck("empty.md", at: 80, now: 50)
    settler.recordWrite("empty.md", at: 51)
    #expect(settler.removeSettled(at: 53) == ["empty.md"])
  }

  @Test func `after the clock is set back a file is due after a new wait`() {
    var settler = Debouncer(settle: 2, longest: 30)
    settler.recordWrite("e.md", at: 1_000_000)
    #expect(settler.removeSettled(at: 5) == [])
    #expect(settler.nextDeadline() == 7)
    #expect(settler.removeSettled(at: 7) == ["e.md"])
  }

  @Test func `a forgotten file is not due`() {
    var settler = Debouncer(settle: 2, longest: 30)
    settler.recordWrite("b.md", at: 0)
    settler.recordWrite("a.md", at: 1)
    #expect(settler.paths == ["a.md", "b.md"])
    settler.forget("b.md")
    #expect(settler.nextDeadline() == 3)
    #expect(settler.removeSettled(at: 100) == ["a.md"])
  }

  @Test(arguments: 1...3)
  func `the next deadline is the first moment at which something is due`(_ part: Int) {
    var random = SeededGenerator(part: part)
    var settler = Debouncer(settle: 5, longest: 20)
    var now: Int64 = 0
    for step in 0..<2000 {
      now += Int64.random(in: 0...3, using: &random)
      let path = EntryPath(stringLiteral: "\(Int.random(in: 0..<8, using: &random))")
      switch Int.random(in: 0..<10, using: &random) {
      case 0: settler.postpone(path, at: now)
      case 1: settler.forget(path)
      case 2: settler.recheck(path, at: now + 9, now: now)
      case 3...7: settler.recordWrite(path, at: now)
      default: break
      }
      let deadline = settler.nextDeadline()
      #expect((deadline == nil) == settler.isEmpty, "\(random), step \(step)")
      if let deadline {
        var copy = settler
        if deadline > now {
          #expect(copy.removeSettled(at: deadline - 1) == [], "\(random), step \(step)")
        }
        #expect(!copy.removeSettled(at: max(now, deadline)).isEmpty, "\(random), step \(step)")
      }
      let due = settler.removeSettled(at: now)
      #expect(due.isEmpty == ((deadline ?? .max) > now), "\(random), step \(step)")
    }
  }
}
